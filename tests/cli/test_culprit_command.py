"""``culprit`` names the dependencies that flip an answer, by trials of which nothing stays."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import paper
import pytest
from fake import probes
from fake.server import Index
from fake.wheels import Dist, wheel

from adk_probe.evidence import store
from adk_probe.execution import run
from adk_probe.files import to_json
from adk_probe.model import RELEASES_SCHEMA, Release
from adk_probe.report import schemas

EARLY, LATE = "2024-01-01T00:00:00Z", "2024-11-01T00:00:00Z"
Ask = Callable[..., paper.Call]
# what differs: nothing, other code of the release, another helper, and code that only fails with that helper
RELEASES = {"1.0": "2024-02-01T00:00:00Z", "1.1": "2024-02-02T00:00:00Z", "1.2": "2024-12-01T00:00:00Z"}
LOOP = "import helper\n\n\ndef loop():\n    return {}\n"


def dists() -> list[Dist]:
    """Return an engine that uses a module which its dependency's dependency brought, until that went."""
    found = []
    for version, day in (("1.0", EARLY), ("2.0", LATE)):
        api = ("helper",) if version == "1.0" else ("fresh",)
        found += [
            wheel("api", version, {"api/__init__.py": ""}, day, requires=api),
            wheel("sdk", version, {"sdk/__init__.py": ""}, day, requires=(f"api=={version}",)),
            wheel("other", version, {"other/__init__.py": f"VALUE = {version[0]}\n"}, day),
            wheel("another", version, {"another/__init__.py": f"VALUE = {version[0]}\n"}, day),
        ]
    found += [wheel("helper", "1.0", {"helper.py": ""}, EARLY), wheel("fresh", "1.0", {"fresh.py": ""}, EARLY)]
    wanted = ("sdk<2", "other", "another")
    for version, day in RELEASES.items():
        code = LOOP.format(4 if version == "1.1" else 3)
        requires = ("sdk", *wanted[1:]) if version == "1.0" else wanted
        files = {"fake_engine/__init__.py": code, "fake_engine/flow.py": ""}
        found.append(wheel("fake-engine", version, files, day, requires=requires))
    return found


@pytest.fixture(scope="module")
def served() -> Iterator[Index]:
    with Index(dists()) as index:
        yield index


@pytest.fixture
def ask(
    fresh: Path,
    served: Index,
    python: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Ask:
    """Return what asks for a culprit in a project whose engine has dependencies."""
    monkeypatch.setenv("UV_DEFAULT_INDEX", served.address)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    rows = [Release(version, day) for version, day in RELEASES.items()]
    known = {"schema": RELEASES_SCHEMA, "engines": {"fake-engine": rows, "hostile": rows}}
    (fresh / "reports/releases.json").write_bytes(to_json(known))
    body = "import other\nclaim.fact('value', other.VALUE)\nclaim.equal('value', other.VALUE, 1)\n"
    (fresh / "probes/fake/uses-other.py").write_text(probes.probe("uses-other", "fake-engine", body), encoding="utf-8")

    def asked(*words: str) -> paper.Call:
        done = paper.call(fresh, capsys, monkeypatch, "culprit", *words, "--python", python)
        assert not list((tmp_path / "scratch").iterdir()), "nothing of a trial stays"
        assert not (fresh / store.FOLDER).exists(), "trials are no evidence"
        return done

    return asked


def test_it_finds_which_dependency_took_a_module_away(ask: Ask) -> None:
    done = ask("import", "--release", "1.0", "--json")
    told = done.json()
    jsonschema.validate(told, json.loads(schemas.schemas()["culprit.schema.json"]))
    assert (done.code, told["result"], told["whose"]) == (0, "found", "")
    assert [each["name"] for each in told["changes"]] == ["api", "sdk"]
    assert {each["change"]["name"]: each["because"] for each in told["effects"]} == {
        "fresh": ["api"],
        "helper": ["api"],
    }
    assert told["among"] == 6
    assert told["trials"]
    shown = ask("import", "--release", "1.0")
    assert "flipped by api, sdk" in shown.out
    assert "  with them goes helper 1.0, which api required" in shown.out
    assert "error (import): import fake_engine raised ModuleNotFoundError: No module named 'helper'" in shown.out


def test_between_releases_it_tells_the_release_from_its_dependencies(ask: Ask) -> None:
    release = ask("loop", "--release", "1.0", "--against", "1.1", "--lane", "as-released", "--json").json()
    assert (release["whose"], [each["name"] for each in release["changes"]]) == ("release", ["fake-engine"])
    moved = ask("uses-other", "--release", "1.1", "--against", "1.2", "--lane", "as-released", "--json").json()
    assert (moved["whose"], [each["name"] for each in moved["changes"]]) == ("dependencies", ["other"])
    assert {each["side"] for each in moved["trials"][:2]} == {"old", "new"}


def test_a_fact_has_a_culprit_too_and_pins_come_from_files(ask: Ask, tmp_path: Path) -> None:
    then = tmp_path / "then.txt"
    then.write_text("# as it was\nAnother==1.0\napi==1.0\nfake_engine==1.1\nhelper==1.0\nother==1.0\nsdk==1.0\n")
    now = tmp_path / "now.json"
    pins = ["another==2.0", "api==1.0", "fake-engine==1.1", "helper==1.0", "other==2.0", "sdk==1.0"]
    now.write_text(json.dumps({"environment": {"pins": pins}}))
    found = ask("uses-other", "--fact", "value", "--release", "1.1", "--pins", str(then), "--pins", str(now), "--json")
    told = found.json()
    assert (told["old"]["answer"]["value"], told["new"]["answer"]["value"]) == (1, 2)
    assert [each["name"] for each in told["changes"]] == ["other"]
    assert ask("uses-other", "--release", "1.1", "--pins", str(then)).code == 0
    assert ask("loop", "--release", "1.1", "--pins", str(then), "--pins", str(now)).code == 1


def test_what_cannot_be_installed_leaves_a_doubt(ask: Ask, tmp_path: Path) -> None:
    then = tmp_path / "then.txt"
    then.write_text("fake-engine==1.1\nsdk==9.9\n")
    done = ask("loop", "--release", "1.1", "--pins", str(then))
    assert done.code == 3
    assert "cannot tell" in done.out


def test_an_interruption_leaves_nothing_behind(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        assert list((tmp_path / "scratch").iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run", stopped)
    assert ask("loop", "--release", "1.0").code == 130
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("x", "--release", "1.0"), "no probe 'x'"),
        (("loop", "--release", "9.9"), "no release of fake-engine is 9.9"),
        (("loop", "--release", "1.0", "--against", "1.0"), "--against 1.0: is the same release"),
        (("loop", "--release", ">=1.0"), "--release >=1.0: means 3 releases"),
        (("loop", "--release", "1.0", "--lane", "today"), "--lane: goes with --against or --pins"),
        (("loop", "--release", "1.0", "--against", "1.1", "--pins", "f"), "--against and --pins"),
        (("loop", "--release", "1.0", "--pins", "not-there.txt"), "not-there.txt"),
        (("workflow", "--release", "1.0", "--fact", "x", "--against", "no!"), "--against 'no!' is neither"),
    ],
)
def test_wrong_input_is_named(ask: Ask, words: tuple[str, ...], said: str) -> None:
    done = ask(*words)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [("fake-engine>=1.0", "'fake-engine>=1.0' is no pin"), ("api==1.0", "its pins are not of fake-engine 1.0")],
)
def test_a_file_that_is_no_set_of_pins_is_named(ask: Ask, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "pins.txt").write_text(text)
    done = ask("loop", "--release", "1.0", "--pins", str(tmp_path / "pins.txt"))
    assert done.code == 2
    assert f"pins.txt: {said}" in done.err
