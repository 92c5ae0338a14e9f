"""Cells of one family: what the zygote spares them, and that it changes nothing else."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adk_probe.inside import worker, zygote

HEAD = """
import json, os, sys, threading, time, warnings
from pathlib import Path
here = Path(__file__).parent

def note(text):
    with (here / "notes").open("a") as file:
        file.write(text + "\\n")

"""
CELL = """
if __name__ == "__main__":
    note(f"cell {sys.argv[1]} parent={os.getppid()} shared={getattr(sys, 'shared', None)}")
"""


def run(
    folder: Path, text: str, count: int = 3, rehearsals: Sequence[str] = "aaaaa", **changes: Any
) -> tuple[list[dict[str, Any]], list[str]]:
    """Run cells of one family of a script; return the worker's events and what the script noted."""
    script = folder / "script.py"
    script.write_text(HEAD + text + CELL, encoding="utf-8")
    cells = [
        {
            "id": f"c{number}",
            "path": str(script),
            "out": str(folder / f"c{number}.jsonl"),
            "timeout": 10,
            "memory": 512,
            "isolated": False,
            "family": "f",
            "rehearsal": rehearsals[number],
            "arguments": [str(number)],
            "options": ["-s"],
        }
        for number in range(count)
    ]
    read, write = os.pipe()
    job = {"warm": ["json"], "events": write, "fork": True, "cells": cells, **changes}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-s", worker.__file__, str(folder / "job.json")],
        env={"TMPDIR": str(folder), "HOME": str(folder), "PATH": os.defpath},
        pass_fds=(write,),
        start_new_session=True,
    )
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as events:
        found = [json.loads(line) for line in events]
    process.wait(60)
    notes = folder / "notes"
    return found, notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []


def ended(events: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Return how each cell ended, in order."""
    return [(event["id"], event.get("status", event.get("limit"))) for event in events if event["event"] == "end"]


def in_zygote(events: list[dict[str, Any]]) -> list[bool]:
    return [bool(event.get("zygote")) for event in events if event["event"] == "end"]


RUBBISH = """
def prepare(arguments):
    for name in [name for name in os.listdir('/proc/self/fd') if name > '2']:
        try:
            os.write(int(name), b'rubbish\\n{}\\n')
        except OSError:
            pass
    os._exit(0)
"""
KILLER = """
if __name__ == '__main__' and sys.argv[1] == '1' and hasattr(sys, 'shared'):
    (here / 'c1.jsonl').write_text('half')
    os.kill(os.getppid(), 9)
    time.sleep(60)
"""
ALL = [("c0", 0), ("c1", 0), ("c2", 0)]
GOOD = "def prepare(arguments):\n    note('prepare ' + arguments[0]); sys.shared = 'prepared'\n"


def test_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(zygote.__file__).read_text(encoding="utf-8"), feature_version=(3, 9))
    names = {
        name.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    assert names <= sys.stdlib_module_names


def test_a_family_shares_what_was_prepared_and_rehearsed(tmp_path: Path) -> None:
    events, notes = run(tmp_path, GOOD + "def rehearse(arguments):\n    note('rehearse'); sys.shared = 'rehearsed'\n")
    assert ended(events) == ALL
    assert in_zygote(events) == [True] * 3
    assert notes[:3] == ["prepare 0", "rehearse", "rehearse"]
    assert [note.partition(" parent")[0] for note in notes[3:]] == ["cell 0", "cell 1", "cell 2"]
    assert all(note.endswith("shared=rehearsed") for note in notes[3:])
    assert len({note.split("parent=")[1].split()[0] for note in notes[3:]}) == 1
    assert events[-1] == {"event": "bye"}
    assert not list(tmp_path.glob("zygote-*"))


@pytest.mark.parametrize(
    "rehearsal",
    [
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "raise ValueError('no')",
        "raise SystemExit(3)",
        "'told' in globals() or warnings.warn('once'); globals()['told'] = 1",
    ],
    ids=["threads", "error", "exit", "warns once a process"],
)
def test_a_rehearsal_that_is_not_neutral_is_left_out(tmp_path: Path, rehearsal: str) -> None:
    events, notes = run(tmp_path, GOOD + f"def rehearse(arguments):\n    {rehearsal}; sys.shared = 'rehearsed'\n")
    assert ended(events) == ALL
    assert in_zygote(events) == [True] * 3
    assert all(note.endswith("shared=prepared") for note in notes if note.startswith("cell"))


@pytest.mark.parametrize(
    "text",
    [
        "def prepare(arguments):\n    os._exit(9)\n",
        "def prepare(arguments):\n    os.kill(os.getpid(), 11)\n",
        "def prepare(arguments):\n    raise ValueError('no')\n",
        "if __name__ != '__main__':\n    raise ValueError('no')\n",
        RUBBISH,
    ],
    ids=["exit", "crash", "error", "load", "rubbish"],
)
def test_a_zygote_that_fails_costs_nothing(tmp_path: Path, text: str) -> None:
    events, notes = run(tmp_path, text)
    assert ended(events) == ALL
    assert in_zygote(events) == [False] * 3
    assert len([note for note in notes if note.startswith("cell")]) == 3


def test_a_zygote_that_hangs_costs_its_time_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "inside"
    copy.mkdir()
    for path in Path(worker.__file__).parent.glob("*.py"):
        text = path.read_text(encoding="utf-8").replace("PREPARE_SECONDS = 15.0", "PREPARE_SECONDS = 0.5")
        (copy / path.name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(worker, "__file__", str(copy / "worker.py"))
    events, _ = run(tmp_path, "def prepare(arguments):\n    time.sleep(600)\n")
    assert ended(events) == ALL
    assert in_zygote(events) == [False] * 3


def test_a_cell_that_kills_its_zygote_does_not_take_others_with_it(tmp_path: Path) -> None:
    events, _ = run(tmp_path, GOOD + KILLER)
    assert ended(events) == ALL
    assert in_zygote(events) == [True, False, False]
    assert not (tmp_path / "c1.jsonl").exists()


def test_limits_hold_in_a_zygote(tmp_path: Path) -> None:
    text = GOOD + "if __name__ == '__main__' and sys.argv[1] == '1':\n    bytearray(900 << 20)\n"
    events, _ = run(tmp_path, text)
    assert ended(events) == [("c0", 0), ("c1", 1), ("c2", 0)]
    assert in_zygote(events) == [True] * 3


@pytest.mark.parametrize("changes", [{"fork": False}], ids=["spawn"])
def test_without_fork_there_is_no_zygote(tmp_path: Path, changes: dict[str, Any]) -> None:
    events, notes = run(tmp_path, GOOD, **changes)
    assert ended(events) == ALL
    assert in_zygote(events) == [False] * 3
    assert "prepare 0" not in notes


def test_families_keep_the_order_and_leave_isolated_cells_alone() -> None:
    cells = [
        {"id": name, "family": family, "isolated": isolated}
        for name, family, isolated in (
            *(("a", "", False), ("b", "x", False), ("c", "x", False)),
            *(("d", "x", True), ("e", "x", False), ("f", "y", False), ("g", "", False), ("h", "", False)),
        )
    ]
    found = [[cell["id"] for cell in family] for family in zygote.families(cells)]
    assert found == [["a"], ["b", "c"], ["d"], ["e"], ["f"], ["g"], ["h"]]


def test_each_rehearsal_is_played_by_its_first_cell_and_left_out_alone(tmp_path: Path) -> None:
    text = """
sys.rehearsed = []
def rehearse(arguments):
    note('rehearse ' + arguments[0])
    if arguments[0] == '1':
        raise ValueError('no')
    sys.shared = getattr(sys, 'shared', '') + arguments[0]
"""
    events, notes = run(tmp_path, text, 5, rehearsals=["a", "b", "c", "a", "c"])
    assert in_zygote(events) == [True] * 5
    assert {note.rpartition("=")[2] for note in notes if note.startswith("cell")} == {"0022"}
    assert "rehearse 3" not in notes


def test_a_zygote_goes_on_behind_the_cell_that_it_ended_under(tmp_path: Path) -> None:
    events, _ = run(tmp_path, GOOD + KILLER, 5)
    assert ended(events) == [*ALL, ("c3", 0), ("c4", 0)]
    assert in_zygote(events) == [True, False, True, True, True]
