"""What differs between two releases, since which one, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import paper
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper import Call, keep, target

from adk_probe.cli.upgrade import Upgrade, compared
from adk_probe.evidence import store, turns
from adk_probe.evidence.judging import judge_project
from adk_probe.evidence.turns import Line
from adk_probe.model import Lane, Outcome, Target, TargetResult, Verdict
from adk_probe.project.folder import open_project
from adk_probe.project.plan import Choice

Ask = Callable[..., Call]
PASS, FAIL, ABSENT = Outcome.PASS, Outcome.FAIL, Outcome.ABSENT
UPGRADE = ("upgrade", "--from", "1.0", "--to", "newest", "--python", "3.12")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return paper.make(tmp_path)


@pytest.fixture
def ask(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    return lambda *words: paper.call(root, capsys, monkeypatch, *words)


def test_what_breaks_comes_first_with_since_when_and_what_to_use(root: Path, ask: Ask) -> None:
    keep(root, target("1.0"), {"a": PASS, "b": PASS, "c": FAIL})
    keep(root, target("1.1"), {"a": PASS, "b": FAIL, "c": FAIL})
    keep(root, target("2.0"), {"a": PASS, "b": FAIL, "c": PASS})
    answer = ask(*UPGRADE, "--json")
    assert answer.code == 1
    told = answer.json()
    rows = [(turn["consequence"], turn["kind"], turn["name"], turn["since"]) for turn in told["turns"]]
    assert rows == [
        ("breaks", "mechanism", "loop", "1.1"),
        ("breaks", "claim", "b", "1.1"),
        ("works", "mechanism", "flow", "2.0"),
        ("works", "claim", "c", "2.0"),
    ]
    assert (told["use"], told["uncomparable"]) == (["flow"], [])
    shown = ask(*UPGRADE).out
    assert "2 breaks, 2 works now" in shown
    assert "use flow: `adk-probe generate GRAPH.ir.json --release 2.0 --mechanism flow`" in shown
    assert "b, since 1.1: true → false: b said" in shown
    assert "| b | 1.1 | true | false | b said |" in ask(*UPGRADE, "--format", "markdown").out


def test_a_release_that_was_not_tested_in_between_is_named(root: Path, ask: Ask) -> None:
    keep(root, target("1.0"))
    keep(root, target("2.0"), {"a": PASS, "b": FAIL, "c": PASS})
    turn = next(turn for turn in ask(*UPGRADE, "--json").json()["turns"] if turn["name"] == "b")
    assert (turn["since"], turn["untested"]) == ("2.0", ["1.1"])
    assert "b, since 2.0, or 1.1 (not tested): true → false" in ask(*UPGRADE).out


def test_a_new_warning_is_a_deprecation(root: Path, ask: Ask) -> None:
    keep(root, target("1.0"))
    keep(root, target("2.0"), deprecated=frozenset({"b"}))
    answer = ask(*UPGRADE, "--json")
    assert answer.code == 1
    rows = [(turn["consequence"], turn["name"], turn["now"]) for turn in answer.json()["turns"]]
    assert rows == [
        ("deprecated", "flow+guarded", "deprecated"),
        ("deprecated", "loop", "deprecated"),
        ("deprecated", "b", "true, deprecated"),
    ]


def test_what_has_no_fresh_evidence_is_a_doubt_and_not_the_same(root: Path, ask: Ask) -> None:
    answer = ask(*UPGRADE)
    assert answer.code == 3
    assert "there is no fresh evidence of one 1.0, Python 3.12, today" in answer.err
    keep(root, target("1.0"))
    keep(root, target("2.0"))
    assert (ask(*UPGRADE).code, "nothing that can be compared differs" in ask(*UPGRADE).out) == (0, True)
    (root / "probes/one/c.py").write_text(paper.HEADER.format(id="c", engine="one") + "# other\n", encoding="utf-8")
    answer = ask(*UPGRADE, "--json")
    assert (answer.code, answer.json()["uncomparable"]) == (3, ["c"])


def test_a_scenario_that_neither_of_two_played_is_a_doubt(tmp_path: Path) -> None:
    root = paper.played(tmp_path / "played")
    for release in ("1.0", "2.0"):
        keep(root, target(release), dict.fromkeys("abc", PASS))
    project = open_project(root)

    def compare() -> Upgrade:
        judgement = judge_project(project, Choice(), None)
        return compared(project, judgement, "one", ("1.0", "2.0"), "3.12", Lane.TODAY)

    assert compare().uncomparable == (paper.SCENARIO,)
    # played on another Python of the release is played
    for release in ("1.0", "2.0"):
        keep(root, target(release, "3.11"), dict.fromkeys(["a", "b", "c", paper.SCENARIO], PASS))
    assert compare().uncomparable == ()


def test_what_was_in_doubt_before_does_not_break() -> None:
    assert turns._verdict_consequence(Verdict.UNPROVEN, Verdict.DENIED) is turns.Consequence.DOUBT
    assert turns._verdict_consequence(Verdict.UNPROVEN, Verdict.ALLOWED) is turns.Consequence.WORKS
    assert turns._verdict_consequence(Verdict.ALLOWED, Verdict.DENIED) is turns.Consequence.BREAKS


def test_releases_and_pythons_are_named_one_by_one(root: Path, ask: Ask) -> None:
    keep(root, target("1.0"))
    assert ask("upgrade", "--from", ">=1", "--to", "2.0").code == 2
    assert ask(*UPGRADE[:-1], ">=3.11").code == 2
    assert ask("changes", "--python", ">=3.11").code == 2
    answer = ask("changes")
    assert (answer.code, "fewer than two releases of one were tested" in answer.err) == (3, True)


def test_the_page_of_changes_has_a_line_a_release_that_turned_something(root: Path, ask: Ask) -> None:
    keep(root, target("1.0"), {"a": PASS, "b": PASS, "c": FAIL})
    keep(root, target("1.1"), {"a": PASS, "b": PASS, "c": FAIL})
    keep(root, target("2.0"), {"a": PASS, "b": ABSENT, "c": PASS})
    page = ask("changes").out
    lines = [line for line in page.splitlines() if line.startswith(("| 2.0", "| 1."))]
    assert len(lines) == 1
    assert "**loop: allowed → denied**" in lines[0]
    assert "no longer: b holds (true → not there; `b`)" in lines[0]
    assert "now: c holds (false → true; `c`)" in lines[0]
    out = root / "changes.md"
    assert ask("changes", "--out", str(out)).code == 0
    assert out.read_text(encoding="utf-8") == page


@given(st.lists(st.sampled_from(["x", "y", None]), min_size=0, max_size=8), st.data())
def test_since_is_the_first_from_which_on_all_that_answer_agree(middle: list[str | None], data: st.DataObject) -> None:
    answers = ["x", *middle, "y"]
    versions = [f"1.{number}" for number in range(len(answers))]
    hidden = data.draw(st.sets(st.sampled_from(versions[1:-1]))) if middle else set()
    targets = tuple(Target("one", version, "3.12", Lane.TODAY) for version in versions if version not in hidden)
    known = dict(zip(versions, answers, strict=True))
    since, untested = turns._since(Line(targets, tuple(versions)), targets, lambda at: known[at.release])
    tested = [version for version in versions if version not in hidden and known[version] is not None]
    later = tested[tested.index(since) :]
    assert {known[version] for version in later} == {"y"}
    before = tested[tested.index(since) - 1]
    assert known[before] == "x"
    assert untested == tuple(versions[versions.index(before) + 1 : versions.index(since)])


def test_facts_of_a_claim_that_stays_true_are_compared(root: Path, ask: Ask) -> None:
    for release, calls in (("1.0", 5), ("1.1", 5), ("2.0", 7)):
        path = keep(root, target(release))
        found = store.read(path)
        assert isinstance(found, TargetResult)
        cells = tuple(msgspec.structs.replace(cell, facts={"calls": calls}) for cell in found.cells)
        paper.reseal(path, cells=cells)
    answer = ask(*UPGRADE, "--json")
    assert answer.code == 0
    keys = ("consequence", "kind", "name", "was", "now", "since")
    rows = [tuple(turn[key] for key in keys) for turn in answer.json()["turns"]]
    assert ("differs", "fact", "b: calls", "5", "7", "2.0") in rows
    assert len(rows) == 3
