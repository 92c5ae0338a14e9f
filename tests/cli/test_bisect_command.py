"""``bisect`` uses evidence before it runs anything, runs what it must, and says what it came to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import paper
import pytest
from fake import probes, project

from adk_probe.evidence import store
from adk_probe.execution import schedule
from adk_probe.files import to_json
from adk_probe.model import RELEASES_SCHEMA, Kind, Measured, Outcome
from adk_probe.project.folder import open_project
from adk_probe.report import schemas

Bisect = Callable[..., paper.Call]
KNOWN = ("1.0", "1.1", "1.2", "1.4", "2.0")


@pytest.fixture
def on_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bisect:
    """Return what bisects a project whose evidence is written by tests."""
    root = paper.make(tmp_path)

    def bisect(*words: str) -> paper.Call:
        return paper.call(root, capsys, monkeypatch, "bisect", *words)

    return bisect


def keep(root: Path, **answers: Outcome) -> None:
    """Write what releases answer to the probe ``b``; ``r1_0`` is release 1.0."""
    for release, outcome in answers.items():
        paper.keep(root, paper.target(release[1:].replace("_", ".")), {"a": Outcome.PASS, "b": outcome})


def test_evidence_that_brackets_a_turn_is_enough(tmp_path: Path, on_paper: Bisect) -> None:
    keep(tmp_path, r1_0=Outcome.PASS, r1_1=Outcome.PASS, r2_0=Outcome.FAIL)
    done = on_paper("b")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:3] == [
        "b on one, Python 3.12, today: broken since 2.0",
        "  1.1: pass: b said",
        "  2.0: fail: b said",
    ]
    told = on_paper("b", "--json").json()
    jsonschema.validate(told, json.loads(schemas.schemas()["bisection.schema.json"]))
    assert (told["result"], told["turn"]["older"], told["turn"]["newer"]) == ("found", "1.1", "2.0")
    assert [each["source"] for each in told["looked"]] == ["evidence"] * 3


def test_both_directions_and_more_than_one_turn_are_told(tmp_path: Path, on_paper: Bisect) -> None:
    keep(tmp_path, r1_0=Outcome.PASS, r1_1=Outcome.FAIL, r2_0=Outcome.PASS)
    done = on_paper("b")
    assert "b on one, Python 3.12, today: fixed since 2.0" in done.out
    assert "the history is not monotonic: what is known of it turns 2 times" in done.out
    assert "  1.0 → 1.1: pass → fail\n" in done.out
    older = on_paper("b", "--bad", "1.1")
    assert "broken since 1.1" in older.out


def test_what_cannot_tell_is_named_between(tmp_path: Path, on_paper: Bisect) -> None:
    keep(tmp_path, r1_0=Outcome.PASS, r1_1=Outcome.ABSENT, r2_0=Outcome.FAIL)
    done = on_paper("b")
    assert done.code == 0
    assert "  between them, and cannot tell: 1.1 (absent)" in done.out


def test_stale_old_or_troubled_evidence_is_no_answer(tmp_path: Path, on_paper: Bisect) -> None:
    keep(tmp_path, r1_0=Outcome.PASS, r2_0=Outcome.FAIL)
    assert on_paper("b", "--no-run").code == 3
    paper.keep(tmp_path, paper.target("1.1"), {"a": Outcome.PASS, "b": Outcome.PASS}, resolved="2020-01-01")
    done = on_paper("b", "--no-run")
    assert done.code == 3
    assert "  between them, and not looked at: 1.1" in done.out
    paper.keep(tmp_path, paper.target("1.1"), fault=Kind.INFRASTRUCTURE)
    assert on_paper("b", "--no-run").code == 3
    keep(tmp_path, r1_1=Outcome.PASS)
    assert on_paper("b", "--no-run").code == 0
    (tmp_path / "probes/one/b.py").write_text(paper.HEADER.format(id="b", engine="one") + "\n# another\n")
    assert on_paper("b", "--no-run").code == 3


def test_no_change_and_no_answer_differ(tmp_path: Path, on_paper: Bisect) -> None:
    keep(tmp_path, r1_0=Outcome.PASS, r1_1=Outcome.PASS, r2_0=Outcome.PASS)
    done = on_paper("b")
    assert (done.code, done.out.splitlines()[0]) == (
        1,
        "b on one, Python 3.12, today: no release that was looked at differs: pass",
    )
    keep(tmp_path, r1_0=Outcome.ABSENT, r1_1=Outcome.ABSENT, r2_0=Outcome.PASS)
    assert on_paper("b").code == 3


def test_a_mechanism_is_bisected_by_its_verdict(tmp_path: Path, on_paper: Bisect) -> None:
    for release, outcome in (("1.0", Outcome.PASS), ("1.1", Outcome.PASS), ("2.0", Outcome.ABSENT)):
        paper.keep(tmp_path, paper.target(release), {"a": Outcome.PASS, "b": outcome, "c": Outcome.PASS})
    assert "loop on one, Python 3.12, today: changed since 2.0" in on_paper("loop").out
    assert "  2.0: denied: b: absent: b said" in on_paper("loop").out
    assert on_paper("flow").code == 1
    assert "flow+guarded on one, Python 3.12, today: changed since 2.0" in on_paper("flow+guarded").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("x",), "no probe 'x'"),
        (("loop+nothing",), "no feature 'nothing' of loop"),
        (("loop", "--fact", "calls"), "--fact calls: loop is a mechanism, and facts are of probes"),
        (("b", "--fact", "calls"), "--fact calls: there is no such fact; there are other"),
        (("b", "--fact", "seconds"), "--fact seconds: is measured, so it varies from run to run"),
        (("b", "--good", "9.9"), "no release of one is 9.9"),
        (("b", "--good", "junk!"), "--good 'junk!' is neither"),
        (("b", "--good", ">=1.0"), "--good >=1.0: means 3 releases"),
        (("b", "--good", "2.0"), "--good 2.0: is the other end too"),
        (("b", "--python", ">=3.11"), "--python >=3.11: means 3.11, 3.12"),
        (("b", "--python", "3.10", "--good", "2.0", "--bad", "1.0"), "one 2.0 cannot be run on Python 3.10, today"),
        (("b", "--engine", "other"), "b is of one, not of other"),
    ],
)
def test_wrong_input_is_named(tmp_path: Path, on_paper: Bisect, words: tuple[str, ...], said: str) -> None:
    facts(tmp_path, {"2.0": 1}, name="other", measured="seconds")
    done = on_paper(*words)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def facts(root: Path, values: dict[str, int], name: str = "calls", measured: str = "") -> None:
    """Write a fact of ``b`` for releases."""
    opened = open_project(root)
    for release, value in values.items():
        made = paper.result(opened, paper.target(release), {"a": Outcome.PASS, "b": Outcome.FAIL})
        cells = tuple(
            msgspec.structs.replace(cell, facts={name: value, "seen": {name: value}}) if cell.probe == "b" else cell
            for cell in made.cells
        )
        run = msgspec.structs.replace(made.run, cells={"b": Measured(1.0, {measured: 1.0} if measured else {})})
        store.save(root, msgspec.structs.replace(made, cells=cells, run=run))


@pytest.mark.parametrize("name", ["calls", "seen.calls"])
def test_a_fact_is_bisected_by_its_value(tmp_path: Path, on_paper: Bisect, name: str) -> None:
    facts(tmp_path, {"1.0": 3, "1.1": 4, "2.0": 5})
    done = on_paper("b", "--fact", name, "--good", "1.0")
    assert done.code == 0
    assert f"b, fact {name}, on one, Python 3.12, today: changed since 1.1" in done.out
    assert "  1.0: 3: b said\n  1.1: 4: b said\n" in done.out


@pytest.fixture
def with_workflow(fresh: Path) -> Path:
    """Return a project with a claim that turns on 2.0, and a history of which 1.2 and 1.4 cannot tell."""
    body = "import fake_engine\nclaim.true(hasattr(fake_engine, 'Workflow'), 'it has none')\n"
    (fresh / "probes/fake/turns.py").write_text(probes.probe("turns", "fake-engine", body), encoding="utf-8")
    declared = (fresh / "matrix.toml").read_text(encoding="utf-8")
    (fresh / "matrix.toml").write_text(declared.replace('releases = ["0.9"]', 'releases = ["2.0"]'), encoding="utf-8")
    rows = [each for each in project.releases() if each.version in KNOWN]
    known = {"schema": RELEASES_SCHEMA, "engines": {"fake-engine": rows, "hostile": rows}}
    (fresh / "reports/releases.json").write_bytes(to_json(known))
    return fresh


def test_only_what_is_needed_runs_and_it_is_kept(
    with_workflow: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = paper.call(with_workflow, capsys, monkeypatch, "bisect", "turns", "--no-fetch", "--json")
    told = done.json()
    assert (done.code, told["result"]) == (0, "found")
    assert (told["turn"]["older"], told["turn"]["newer"], told["turn"]["unclear"]) == ("1.1", "2.0", ["1.2", "1.4"])
    assert {each["source"] for each in told["looked"]} == {"run"}
    assert {path.name.split("-py")[0] for path in (with_workflow / store.FOLDER).glob("*.json")} == {
        f"fake-engine-{each['release']}" for each in told["looked"]
    }
    again = paper.call(with_workflow, capsys, monkeypatch, "bisect", "turns", "--no-run", "--json").json()
    assert {each["source"] for each in again["looked"]} == {"evidence"}
    assert {**again, "looked": []} == {**told, "looked": []}
    # the reports show what was kept
    assert paper.call(with_workflow, capsys, monkeypatch, "report", "--check").code == 0


def test_an_index_that_is_dead_ends_the_search_with_a_word(
    with_workflow: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple/")
    done = paper.call(with_workflow, capsys, monkeypatch, "bisect", "turns", "--no-fetch")
    assert done.code == 3
    assert "3 releases in a row cannot be asked" in done.err


def test_an_interruption_loses_nothing(
    with_workflow: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    execute = schedule.execute

    def interrupted(*arguments: Any) -> Any:
        if len(ran) == 2:
            ran.append("the user stops it")
            raise KeyboardInterrupt
        ended = execute(*arguments)
        ran.append(ended[0].target.release)
        return ended

    monkeypatch.setattr(schedule, "execute", interrupted)
    words = ("bisect", "turns", "--no-fetch", "--json")
    assert paper.call(with_workflow, capsys, monkeypatch, *words).code == 130
    told = paper.call(with_workflow, capsys, monkeypatch, *words).json()
    assert (told["turn"]["older"], told["turn"]["newer"]) == ("1.1", "2.0")
    assert len(ran) == len(set(ran)), "nothing runs twice"
    assert [each["release"] for each in told["looked"] if each["source"] == "evidence"] == sorted(ran[:2])
