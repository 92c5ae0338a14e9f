"""Every fault of matrix.toml is reported at once, with its table and key, and nothing but InputError is raised."""

from __future__ import annotations

import copy
import datetime
import math
from pathlib import Path
from typing import Any

import pytest
from fake.project import REPOSITORY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_probe.errors import InputError
from adk_probe.model import Lane
from adk_probe.project import catalog, config
from adk_probe.project.specifiers import release_fault

VALID: dict[str, Any] = {
    "settings": {
        "default-engine": "one",
        "max-age": 30,
        "pythons": ["3.9"],
        "fetch-pythons": True,
        "fetch-seconds": 60,
        "build-seconds": 60,
    },
    "engines": {
        "one": {
            "distribution": "one",
            "import": "one",
            "probes": "probes/one",
            "warm": ["one.two"],
            "requires": ["three"],
        },
        "other": {"distribution": "other", "import": "other", "probes": "probes/other"},
    },
    "suites": {
        "quick": {
            "description": "a few",
            "targets": [
                {"engine": "one", "releases": ["newest", "1.0", ">=2,<3"], "pythons": ["3.12"], "lanes": ["today"]},
                {"engine": "other", "releases": ["==1.0.0"], "pythons": ["3.11", "3.14"]},
            ],
        }
    },
    "mechanisms": {
        "loop": {"engine": "one", "sentence": "a loop", "requires": ["a", "b"]},
        "flow": {"engine": "one", "sentence": "a flow", "requires": ["a"], "requires-for": {"guards": ["b"]}},
    },
    "features": {"guards": {"sentence": "with guards", "of": "graph", "requires": {"one": ["a"]}}},
    "waivers": [
        {
            "mechanism": "loop",
            "claim": "a",
            "reason": "known",
            "link": "https://example.org/1",
            "expiry": datetime.date(2030, 1, 1),
        }
    ],
}


def write(value: Any) -> str:
    """Return a value as inline TOML."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return '"' + "".join(char if char.isalnum() else f"\\U{ord(char):08x}" for char in value) + '"'
        case float():
            return "nan" if math.isnan(value) else str(value)
        case list():
            return "[" + ", ".join(map(write, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{write(key)} = {write(each)}" for key, each in value.items()) + "}"
        case datetime.date() | datetime.time():
            return value.isoformat()
    return str(value)


def load(folder: Path, document: dict[str, Any]) -> config.Config:
    path = folder / "matrix.toml"
    path.write_text("".join(f"{write(key)} = {write(value)}\n" for key, value in document.items()), encoding="utf-8")
    return config.load(path)


def faults(folder: Path, document: dict[str, Any]) -> tuple[str, ...]:
    with pytest.raises(InputError) as caught:
        load(folder, document)
    assert caught.value.exit_code == 2
    assert str(len(caught.value.faults)) in caught.value.message
    return caught.value.faults


def changed(*changes: tuple[str, Any]) -> dict[str, Any]:
    """Return the valid document with values put at dotted places; None takes one away."""
    document = copy.deepcopy(VALID)
    for place, value in changes:
        holder: Any = document
        *before, last = (int(part) if part.isdigit() else part for part in place.split("."))
        for part in before:
            holder = holder[part]
        if value is None:
            del holder[last]
        else:
            holder[last] = value
    return document


def test_valid_document(tmp_path: Path) -> None:
    found = load(tmp_path, VALID)
    assert found.engines["one"].import_ == "one"
    assert found.suites["quick"].targets[1].lanes == (Lane.TODAY,)
    assert found.preferred("one") == ["loop", "flow"]
    assert found.preferred("other") == []
    assert found.mechanisms["flow"].requires_for == {"guards": ("b",)}
    assert (found.engine(None), found.engine("other")) == ("one", "other")
    assert found.pythons == ("3.9", "3.11", "3.12", "3.14")
    assert found.pythons_in(">=3.11,<3.14") == ("3.11", "3.12")
    assert found.settings.fetch_seconds == 60
    assert found.waivers[0].expiry == datetime.date(2030, 1, 1)


def test_the_repository_s_own_file_is_valid() -> None:
    found = config.load(REPOSITORY / "matrix.toml")
    assert config.DEFAULT_SUITE in found.suites


FAULTS = [
    ("engines.one.distribution", None, "[engines.one] distribution: missing"),
    ("engines.one.probes", 3, "[engines.one] probes: expected `str`, got `int`"),
    ("engines.one.colour", "red", "[engines.one] colour: unknown key; known are distribution, "),
    ("engines.one.probes", "../elsewhere", "[engines.one] probes: "),
    ("engines.one.probes", "/elsewhere", "[engines.one] probes: "),
    ("engines.UPPER", {"distribution": "a", "import": "a", "probes": "a"}, "[engines.UPPER]: the name must be"),
    ("engines.one", 3, "[engines.one]: expected a table, found int"),
    ("engines", 3, "[engines]: expected at least one table"),
    ("engines", {}, "[engines]: expected at least one table"),
    ("suites", None, "[suites]: expected at least one table"),
    ("mechanisms", None, "[mechanisms]: expected at least one table"),
    ("suites.quick.description", "", "[suites.quick] description: "),
    ("suites.quick.targets", [], "[suites.quick] targets: expected at least one"),
    ("suites.quick.targets", 3, "[suites.quick] targets: expected at least one"),
    ("suites.quick.targets.0.engine", "none", "[[suites.quick.targets]] #1 engine: no engine 'none'; there are one,"),
    ("suites.quick.targets.1.releases", ["new"], "[[suites.quick.targets]] #2 releases: 'new' is neither"),
    ("suites.quick.targets.1.releases", [], "[[suites.quick.targets]] #2 releases: "),
    ("suites.quick.targets.0.pythons", ["3.12", "2.7"], "[[suites.quick.targets]] #1 pythons: at [1]: "),
    ("suites.quick.targets.0.pythons", ["3.12\n"], "[[suites.quick.targets]] #1 pythons: at [0]: "),
    ("suites.quick.targets.0.fidelity-pythons", [], "[[suites.quick.targets]] #1 fidelity-pythons: "),
    (
        "suites.quick.targets.0.fidelity-pythons",
        ["3.8"],
        "[[suites.quick.targets]] #1 fidelity-pythons: no suite runs one on Python 3.8",
    ),
    ("suites.quick.targets.0.random-models", 0, "[[suites.quick.targets]] #1 random-models: "),
    ("suites.quick.targets.0.lanes", ["tomorrow"], "[[suites.quick.targets]] #1 lanes: at [0]: invalid enum value"),
    ("settings.default-engine", "none", "[settings] default-engine: no engine 'none'"),
    ("settings.max-age", -1, "[settings] max-age: "),
    ("settings.pythons", ["3"], "[settings] pythons: at [0]: "),
    ("features.guards.of", "moon", "[features.guards] of: "),
    ("features.guards.requires", {"none": ["a"]}, "[features.guards] requires: no engine 'none'"),
    ("features", None, "[mechanisms.flow] requires-for: no feature 'guards'; there is no table [features.NAME]"),
    ("mechanisms.flow.requires-for", {"x": ["a"]}, "[mechanisms.flow] requires-for: no feature 'x'; there are guards"),
    ("mechanisms.flow.engine", "none", "[mechanisms.flow] engine: no engine 'none'"),
    ("mechanisms.flow.requires", [], "[mechanisms.flow] requires: "),
    ("waivers.0.link", "somewhere", "[[waivers]] #1 link: "),
    ("waivers.0.expiry", "soon", "[[waivers]] #1 expiry: "),
    ("waivers.0.expiry", datetime.datetime(2030, 1, 1, 1, 1), "[[waivers]] #1 expiry: "),
    ("waivers.0.reason", None, "[[waivers]] #1 reason: missing"),
    ("waivers.0.mechanism", "none", "[[waivers]] #1 mechanism: no mechanism 'none'"),
    ("waivers.0.claim", "c", "[[waivers]] #1 claim: loop does not require 'c'"),
    ("waivers", 3, "[[waivers]]: expected an array of tables"),
    ("settings.fetch-seconds", 0, "[settings] fetch-seconds: "),
    ("settings", 3, "[settings]: expected a table"),
    ("more", {}, "[more]: unknown table; known are comparison, engines,"),
]


@pytest.mark.parametrize(("place", "value", "words"), FAULTS)
def test_fault_names_its_table_and_key(tmp_path: Path, place: str, value: Any, words: str) -> None:
    found = faults(tmp_path, changed((place, value)))
    assert [fault for fault in found if fault.startswith(words)], found


def test_all_faults_at_once(tmp_path: Path) -> None:
    places = [
        ("engines.one.distribution", None, "[engines.one] distribution: missing"),
        ("engines.one.colour", "red", "[engines.one] colour: unknown key"),
        ("suites.quick.targets.0.pythons", ["2.7"], "[[suites.quick.targets]] #1 pythons"),
        ("suites.quick.targets.1.releases", ["new"], "[[suites.quick.targets]] #2 releases"),
        ("mechanisms.loop.requires", [], "[mechanisms.loop] requires"),
        ("waivers.0.link", "x", "[[waivers]] #1 link"),
        ("settings.build-seconds", 0, "[settings] build-seconds"),
    ]
    found = faults(tmp_path, changed(*((place, value) for place, value, _ in places)))
    for _, _, words in places:
        assert [fault for fault in found if fault.startswith(words)], (words, found)
    assert len(found) == len(places), "a fault brings on no others"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a = ", "not TOML"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b"a = " + b"[" * 100_000, "not TOML"),
        (b"", "fault(s)"),
        (None, "no such file"),
    ],
)
def test_file_that_is_no_toml(tmp_path: Path, data: bytes | None, words: str) -> None:
    path = tmp_path / "matrix.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError, match=words.replace("(", r"\(").replace(")", r"\)")):
        config.load(path)


def test_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        config.load(tmp_path)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += places(inner, (*at, key))
    return found


VALUES = st.recursive(
    st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
    | st.sampled_from(["newest", "one", "loop", "3.12", "today", ">=1", "===x", "==1.*", "~=", ",", "https://x"])
    | st.dates()
    | st.times(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["engine", "a", "order"]), inner),
    max_leaves=4,
)


@given(edits=st.lists(st.tuples(st.sampled_from(places(VALID)), st.just(...) | VALUES), min_size=1, max_size=3))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_mutation_is_valid_or_an_input_error(tmp_path: Path, edits: list[tuple[tuple[Any, ...], Any]]) -> None:
    document = copy.deepcopy(VALID)
    for at, value in edits:
        holder: Any = document
        try:
            for key in at[:-1]:
                holder = holder[key]
            if value is ...:
                del holder[at[-1]]
            else:
                holder[at[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    named: tuple[str, ...] = ()
    found: config.Config | None
    try:
        found = load(tmp_path, document)
    except InputError as error:
        named = error.faults
        found = None
    if found is None:
        assert named
        assert all(fault.startswith("[") for fault in named), named
        return
    # what is valid can be used: the next one to read it has faults of its own, or none
    with pytest.raises(InputError):
        catalog.load(tmp_path, found)


def test_unknown_suite_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"(?s)no suite 'slow'.*There are: quick"):
        load(tmp_path, VALID).suite("slow")


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("1.0", True),
        (">=1,<2", True),
        ("newest", True),
        (" newest ", True),
        ("new", False),
        ("", False),
        (" ", False),
        (",", False),
        ("===2.0", False),
        ("1" * 5000, False),
        (">=" + "9" * 5000, False),
    ],
)
def test_release_choice(text: str, good: bool) -> None:
    assert (release_fault(text) is None) is good


def test_patterns_stand_for_what_fits_in_their_order() -> None:
    names = ["b/1", "a/1", "a/2", "probe"]
    assert config.fitting(names, ["probe", "a/*", "*/1"]) == ("probe", "a/1", "a/2", "b/1")
    assert config.fitting(names, ["none"]) == ()


def test_without_a_default_one_of_several_engines_must_be_named(tmp_path: Path) -> None:
    found = load(tmp_path, changed(("settings.default-engine", None)))
    with pytest.raises(InputError, match=r"which engine\?"):
        found.engine(None)
    assert found.engine("one") == "one"
