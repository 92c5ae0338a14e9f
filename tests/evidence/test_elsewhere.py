"""A scenario that was not played on a Python counts as it came out on another, with the same release and lane."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import paper
import pytest

from adk_probe.codegen import Proof
from adk_probe.evidence import allowed
from adk_probe.evidence.allowed import Allowed, Question
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.judging import judge_project, today
from adk_probe.generate import choose
from adk_probe.model import Kind, Lane, Outcome, Verdict
from adk_probe.project.folder import open_project
from adk_probe.project.plan import Choice

CLAIMS = dict.fromkeys(("a", "b", "c"), Outcome.PASS)
PASS, FAIL, ERROR, ABSENT = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.ABSENT


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return paper.played(tmp_path)


def keep(root: Path, python: str, played: Outcome | None, release: str = "2.0", **more: Any) -> Path:
    lane = more.pop("lane", Lane.TODAY)
    scenario = {paper.SCENARIO: played} if played else {}
    return paper.keep(root, paper.target(release, python, lane), {**CLAIMS, **scenario}, **more)


def judged(root: Path) -> Judgement:
    return judge_project(open_project(root), Choice(), 90)


def ask(root: Path, python: str = "3.11", release: str = "2.0") -> Allowed:
    project = open_project(root)
    question = Question(release, python, Lane.TODAY, None, ("flow",))
    return allowed.ask(project, judge_project(project, Choice(), 90), question, today())


def test_what_another_python_saw_counts_and_is_named(root: Path) -> None:
    keep(root, "3.11", None)
    keep(root, "3.12", PASS)
    answer = ask(root)
    assert answer.verdict is Verdict.ALLOWED
    assert [(each.targets, each.pythons) for each in answer.fidelity_elsewhere] == [
        ((paper.target("2.0", "3.11"),), ("3.12",))
    ]
    assert ask(root, "3.12").fidelity_elsewhere == ()
    project = open_project(root)
    scale = project.scale("one", judged(root).targets)
    proof = Proof(choose._tested(answer, scale))
    assert "scenarios of 2.0 on Python 3.11" in proof.tested
    assert proof.tested.endswith("played on Python 3.12)")


def test_commands_name_it(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    keep(root, "3.11", None)
    keep(root, "3.12", PASS)
    options = ("--release", "2.0", "--python", "3.11")
    call = paper.call(root, capsys, monkeypatch, "allowed", *options, "--mechanism", "flow")
    assert (call.code, "fidelity as seen on Python 3.12: 2.0 on Python 3.11" in call.out) == (0, True), call.out
    found = paper.call(root, capsys, monkeypatch, "allowed", *options, "--json").json()
    assert [each["pythons"] for each in found["fidelity_elsewhere"]] == [["3.12"]]
    assert "fidelity as seen on Python 3.12" in paper.call(root, capsys, monkeypatch, "explain", "flow", *options).out


@pytest.mark.parametrize(
    ("here", "there", "verdict"),
    [
        (None, (PASS, None), Verdict.ALLOWED),
        (None, (FAIL, None), Verdict.DENIED),
        (None, (PASS, FAIL), Verdict.DENIED),
        (None, (FAIL, PASS), Verdict.DENIED),
        (None, (PASS, ERROR), Verdict.UNPROVEN),
        (None, (ABSENT, PASS), Verdict.ALLOWED),
        (None, (ABSENT, None), Verdict.UNPROVEN),
        (None, (None, None), Verdict.UNPROVEN),
        (PASS, (FAIL, None), Verdict.ALLOWED),
        (FAIL, (PASS, None), Verdict.DENIED),
        (ERROR, (PASS, None), Verdict.UNPROVEN),
    ],
)
def test_own_evidence_comes_first_and_the_worst_of_others_counts(
    root: Path, here: Outcome | None, there: tuple[Outcome | None, Outcome | None], verdict: Verdict
) -> None:
    for python, played in zip(("3.11", "3.10", "3.12"), (here, *there), strict=True):
        keep(root, python, played, "1.1")
    assert ask(root, release="1.1").verdict is verdict


def test_no_other_release_and_no_other_lane_counts(root: Path) -> None:
    keep(root, "3.11", None)
    keep(root, "3.12", PASS, "1.1")
    keep(root, "3.12", PASS, lane=Lane.AS_RELEASED)
    assert ask(root).verdict is Verdict.UNPROVEN


def test_a_claim_counts_on_its_own_python_alone(root: Path) -> None:
    paper.keep(root, paper.target("2.0", "3.11"), {"a": PASS, "b": PASS})
    keep(root, "3.12", PASS)
    assert ask(root).verdict is Verdict.UNPROVEN


@pytest.mark.parametrize("more", [{"resolved": "2020-01-01"}, {"fault": Kind.IMPORT}, {"controls": (PASS, PASS)}])
def test_evidence_in_doubt_proves_nothing_elsewhere(root: Path, more: dict[str, Any]) -> None:
    keep(root, "3.11", None)
    keep(root, "3.12", PASS, **more)
    assert ask(root).verdict is Verdict.UNPROVEN


@pytest.mark.parametrize("was", [PASS, FAIL])
def test_what_was_seen_before_a_change_gives_way(root: Path, was: Outcome) -> None:
    keep(root, "3.11", was)
    lock = root / "generated/generated.lock.json"
    lock.write_text(json.dumps(json.loads(lock.read_text()) | {"generator": "other"}).replace("1" * 64, "3" * 64))
    assert ask(root).verdict is Verdict.UNPROVEN
    keep(root, "3.12", PASS)
    assert ask(root).verdict is Verdict.ALLOWED
    # so that the gate does not wait for a scenario that no suite plays there any more
    assert [cell for cell in judged(root).cells if cell.probe == paper.SCENARIO and cell.changed] == []


def test_the_oldest_evidence_is_looked_for_elsewhere_too(root: Path) -> None:
    keep(root, "3.11", None)
    keep(root, "3.12", PASS, resolved=today().replace(day=1).isoformat())
    oldest = ask(root).oldest
    assert oldest is not None
    assert oldest.target.python == ("3.12" if today().day > 1 else "3.11")
