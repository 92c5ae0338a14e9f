"""In which order targets are started."""

from __future__ import annotations

from pathlib import Path

import paper
import samples

from adk_probe.cli.run import _verdicts_of as verdicts_of
from adk_probe.execution.schedule import PendingTarget, _in_order, newest
from adk_probe.execution.target import _moved
from adk_probe.machine.state import State
from adk_probe.model import Environment, Interpreter, Lane, Measured, RunRecord, Target, TargetResult
from adk_probe.project.folder import open_project
from adk_probe.project.plan import Planned

PYTHON = Interpreter("/python", "3.12.1", "CPython", "main", "linux")


def pending(target: Target, *, plays: bool = False) -> PendingTarget:
    probe = samples.probe("a", mechanism="loop" if plays else "")
    return PendingTarget(Planned(target, "", (probe,)), PYTHON, State(), {"a": ("no evidence yet",)})


def test_newest_release_by_version_of_each_engine() -> None:
    targets = [
        samples.target("1.9"),
        samples.target("1.10"),
        samples.target("1.10", "3.11"),
        Target("x", "0.1", "3.12", Lane.TODAY),
    ]
    assert newest(targets) == set(targets[1:])
    assert newest([]) == set()


def test_the_newest_release_first_and_then_the_longest() -> None:
    at = [samples.target("2.0", "3.11"), samples.target("2.0", "3.12"), samples.target("1.0"), samples.target("1.1")]
    records = {at[3].key: RunRecord(cells={"a": Measured(9.0)}), at[0].key: RunRecord(cells={"a": Measured(99.0)})}
    todo = [pending(at[2]), pending(at[3]), pending(at[0]), pending(at[1], plays=True)]
    assert [each.item.target for each in _in_order(todo, records)] == [at[1], at[0], at[3], at[2]]


def test_verdicts_of_the_newest_release_are_said_at_once(tmp_path: Path) -> None:
    root = paper.make(tmp_path)
    at, other = paper.target("2.0"), paper.target("1.0")
    paper.keep(root, at)
    verdicts = verdicts_of(open_project(root), {at})
    assert verdicts(at) == "✓ loop allowed, ✓ flow allowed"
    assert verdicts(other) == ""


def test_what_moved_is_named() -> None:
    def environment(*pins: str) -> Environment:
        return Environment("3.12.1", "CPython", "main", "linux", pins)

    target = samples.target("1.0")
    old = TargetResult("", target, environment("a==1", "b==1", "c==1"))
    assert _moved(old, environment("a==1", "b==2", "d==1")) == (
        "dependencies changed: b 1 → 2, c 1 → not there, d not there → 1"
    )
    many = environment(*(f"p{number}==1" for number in range(9)))
    assert _moved(TargetResult("", target, environment("x==1")), many).endswith("p4 not there → 1 and 5 more")
    for same in (None, TargetResult("", target), old):
        assert _moved(same, environment("a==1", "b==1", "c==1")) == ""
