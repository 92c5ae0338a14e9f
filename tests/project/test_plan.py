"""A choice of targets: what it means, what it rules out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from adk_probe.errors import InputError
from adk_probe.model import RELEASES_SCHEMA, Lane, Outcome, Probe, Release, Target
from adk_probe.project.config import Group, Settings, Suite
from adk_probe.project.plan import Choice, plan
from adk_probe.project.releases import Releases

MATRIX = msgspec.structs.replace(samples.config(), settings=Settings(pythons=("3.9", "3.14")))
RELEASES = samples.releases()
CATALOG = samples.catalog()


def keys(choice: Choice, releases: Releases = RELEASES) -> list[str]:
    return [item.target.key for item in plan(MATRIX, releases, CATALOG, choice)]


def test_default_suite_in_order() -> None:
    assert keys(Choice()) == [
        f"one-{release}-py{python}-{lane}"
        for release in ("1.0", "2.0")
        for python in ("3.11", "3.12")
        for lane in ("as-released", "today")
    ]


def test_releases_are_ordered_as_versions() -> None:
    found = plan(MATRIX, samples.releases("1.10", "1.9", "2.0"), CATALOG, Choice(release=">1"))
    assert [item.target.release for item in found] == ["1.9", "1.9", "1.10", "1.10", "2.0", "2.0"]


def test_suite_is_narrowed() -> None:
    choice = Choice(suite="quick", release=">=1", python="3.12", lane=Lane.TODAY)
    assert keys(choice) == ["one-1.0-py3.12-today", "one-2.0-py3.12-today"]
    assert keys(Choice(release="1.1", python="3.14")) == ["one-1.1-py3.14-today"]
    assert keys(Choice(release="1.1", python=">=3.12")) == ["one-1.1-py3.12-today", "one-1.1-py3.14-today"]
    assert len(keys(Choice(release="1.1"))) == 2


def test_probes_are_chosen() -> None:
    (item, *_) = plan(MATRIX, RELEASES, CATALOG, Choice(probes=("c", "a")))
    assert [probe.id for probe in item.probes] == ["a", "c"]
    (item, *_) = plan(MATRIX, RELEASES, CATALOG, Choice())
    assert [probe.id for probe in item.probes] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (Choice(engine="none"), "no engine 'none'"),
        (Choice(suite="none"), "no suite 'none'"),
        (Choice(release="9.9"), "no release of one is 9.9"),
        (Choice(suite="quick", release="1.1"), "no target fits --suite quick --release 1.1"),
        (Choice(suite="quick", python="3.99"), "--python 3.99: neither a declared Python"),
        (Choice(probes=("a", "z", "y")), "no probe y, z"),
    ],
)
def test_choice_that_means_nothing(choice: Choice, words: str) -> None:
    with pytest.raises(InputError, match=words):
        keys(choice)


@pytest.mark.parametrize(
    ("requires", "ruled_out"),
    [
        ("", False),
        (">=3.9.2", False),
        (">=3.12", False),
        ("<3.12", True),
        (">=3.13", True),
        (">=3.8,<3.13", False),
        ("==2.7.*", True),
        ("!=3.12.*", True),
    ],
)
def test_requires_python(requires: str, ruled_out: bool) -> None:
    rows = (Release("1.0", "2024-01-01T00:00:00Z", requires),)
    releases = Releases(RELEASES_SCHEMA, {"one": rows})
    (item,) = plan(MATRIX, releases, CATALOG, Choice(release="1.0", python="3.12"))
    assert (item.fault is not None) is ruled_out
    if item.fault:
        assert item.fault.outcome is Outcome.UNSUPPORTED
        assert item.fault.message == f"one 1.0 requires Python {requires}"


def test_without_upload_time_nothing_is_as_released() -> None:
    releases = Releases(RELEASES_SCHEMA, {"one": (Release("1.0", ""), Release("2.0", ""))})
    found = {item.target.lane: item.fault for item in plan(MATRIX, releases, CATALOG, Choice())}
    assert found[Lane.TODAY] is None
    fault = found[Lane.AS_RELEASED]
    assert fault is not None
    assert "no upload time" in fault.message


def test_plan_is_pure() -> None:
    assert plan(MATRIX, RELEASES, CATALOG, Choice()) == plan(MATRIX, RELEASES, CATALOG, Choice())


TARGETS = st.builds(
    Target,
    st.sampled_from(["one", "two"]),
    st.sampled_from(["1.9", "1.10", "2.0a1", "2.0"]),
    st.sampled_from(["3.9", "3.10"]),
    st.sampled_from(Lane),
)


@given(one=TARGETS, other=TARGETS)
def test_key_and_order_tell_targets_apart(one: Target, other: Target) -> None:
    assert (one.key == other.key) is (one.order == other.order) is (one == other)
    assert msgspec.convert(msgspec.to_builtins(one), Target) == one


GAME = Probe(
    "fidelity/g/loop/random-models",
    "it plays",
    "one",
    "probes/play.py",
    arguments=("--id",),
    mechanism="loop",
    graph="g",
)
PLAYING = msgspec.structs.replace(CATALOG, probes={"one": {**CATALOG.probes["one"], GAME.id: GAME}})


def games(choice: Choice, *groups: Group) -> dict[str, tuple[int | None, tuple[str, ...]]]:
    """Return where the scenario is planned, with how many random models, and by which arguments."""
    matrix = msgspec.structs.replace(MATRIX, suites={"quick": Suite("a few", groups)})
    return {
        item.target.key: (probe.examples, probe.arguments)
        for item in plan(matrix, RELEASES, PLAYING, choice)
        for probe in item.probes
        if probe.id == GAME.id
    }


def group(**more: Any) -> Group:
    return Group("one", ("2.0",), ("3.11", "3.12"), **more)


ONE = group(fidelity_pythons=("3.12",), random_models=10)
LIMITED, FULL = (10, ("--id", "--examples", "10")), (None, ("--id",))


@pytest.mark.parametrize(
    ("choice", "groups", "expected"),
    [
        (Choice(), (group(),), {"3.11": FULL, "3.12": FULL}),
        (Choice(), (ONE,), {"3.12": LIMITED}),
        (Choice(python="3.11"), (ONE,), {}),
        (Choice(probes=("*",)), (ONE,), {"3.12": LIMITED}),
        (Choice(probes=("fidelity/*",)), (ONE,), {"3.11": LIMITED, "3.12": LIMITED}),
        (Choice(release="2.0"), (ONE,), {"3.12": FULL}),
        (Choice(release="2.0", python="3.11"), (ONE,), {"3.11": FULL}),
        (Choice(), (ONE, group(fidelity_pythons=("3.11",))), {"3.11": FULL, "3.12": LIMITED}),
        (Choice(), (ONE, group(random_models=20)), {"3.11": (20, ("--id", "--examples", "20")), "3.12": (20, ...)}),
        (Choice(), (ONE, group()), {"3.11": FULL, "3.12": FULL}),
    ],
)
def test_projects_are_played_where_a_suite_says(choice: Choice, groups: tuple[Group, ...], expected: Any) -> None:
    found = {key.split("-py")[1].partition("-")[0]: each for key, each in games(choice, *groups).items()}
    assert {key: each[0] for key, each in found.items()} == {key: each[0] for key, each in expected.items()}
    assert all(each[1] is ... or found[key] == each for key, each in expected.items())


def test_claims_are_asked_on_every_python() -> None:
    matrix = msgspec.structs.replace(MATRIX, suites={"quick": Suite("a few", (ONE,))})
    found = plan(matrix, RELEASES, PLAYING, Choice())
    assert [{*samples.PROBES} <= {probe.id for probe in item.probes} for item in found] == [True, True]
