"""A Python that cannot be fetched is tried once a day, and one that is here always wins."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake import project

from adk_probe.execution import interpreters, pythons, uv
from adk_probe.machine.state import Local, State, stamp
from adk_probe.model import Interpreter
from adk_probe.project.config import Settings
from adk_probe.project.plan import Choice

NO_SUCH = "error: No download found for request: cpython-3.99"
WORDS = "no such Python on this machine, and uv could not fetch one"


class Machine:
    """A machine with some Pythons, and a uv that can fetch some; remembers what it was asked."""

    def __init__(self, tmp_path: Path) -> None:
        self.here: set[str] = set()
        self.to_be_had: set[str] = set()
        self.asked: list[list[str]] = []
        self.local = Local(tmp_path)
        self.file = tmp_path / "python"
        self.file.touch()

    def find(self, wanted: list[str]) -> dict[str, Interpreter]:
        return {name: self.interpreter(name) for name in wanted if name in self.here}

    def fetch(self, names: list[str], seconds: float) -> str:
        assert 0 < seconds <= 120
        self.asked.append(list(names))
        # uv fetches none of them when it does not know one
        if set(names) <= self.to_be_had:
            self.here |= set(names)
            return ""
        return NO_SUCH

    def interpreter(self, name: str) -> Interpreter:
        return Interpreter(str(self.file), f"{name}.1", "CPython", "b", "p")

    def gather(self, *names: str, fetch: bool = True, refresh: bool = False, states: tuple[State, ...] = ()) -> object:
        found = pythons.gather(self.local, Settings(), set(names), states, fetch=fetch, refresh=refresh)
        assert found.found.keys() | found.missing.keys() == set(names)
        assert not found.found.keys() & found.missing.keys()
        return found.missing


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path)
    monkeypatch.setattr(interpreters, "find", found.find)
    monkeypatch.setattr(interpreters, "fetch", found.fetch)
    return found


def test_failed_fetch_is_not_tried_again(machine: Machine) -> None:
    for _ in range(3):
        assert machine.gather("3.99") == {"3.99": WORDS}
    assert machine.asked == [["3.99"]]
    (kept,) = json.loads((machine.local.folder / pythons.FILE).read_bytes()).values()
    assert kept["reason"] == NO_SUCH


def test_refresh_tries_again(machine: Machine) -> None:
    machine.gather("3.99")
    machine.to_be_had = {"3.99"}
    assert machine.gather("3.99", refresh=True) == {}
    assert machine.asked == [["3.99"], ["3.99"]]
    assert json.loads((machine.local.folder / pythons.FILE).read_bytes()) == {}


def test_python_that_has_come_wins_at_once(machine: Machine) -> None:
    machine.gather("3.99")
    machine.here = {"3.99"}
    assert machine.gather("3.99") == {}
    assert machine.asked == [["3.99"]]


def test_interpreter_of_before_is_not_looked_for(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(interpreters, "find", never)
    state = State(interpreter=machine.interpreter("3.12"), stamp=stamp(str(machine.file)))
    assert machine.gather("3.12", states=(state,)) == {}
    machine.file.write_text("another one")
    with pytest.raises(AssertionError):
        machine.gather("3.12", states=(state,))


def test_each_python_is_remembered_by_itself(machine: Machine) -> None:
    machine.to_be_had = {"3.97", "3.98"}
    assert machine.gather("3.97", "3.99") == {"3.99": WORDS}
    assert machine.asked == [["3.97", "3.99"], ["3.97"], ["3.99"]]
    assert machine.gather("3.98", "3.99") == {"3.99": WORDS}
    assert machine.asked[3:] == [["3.98"]]


def test_nobody_is_asked_where_nothing_may_be_fetched(machine: Machine) -> None:
    assert machine.gather("3.99", fetch=False) == {"3.99": "no such Python on this machine"}
    assert machine.asked == []


def _older(entry: dict[str, Any]) -> None:
    when = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=25)
    entry["when"] = when.isoformat()


def _later(entry: dict[str, Any]) -> None:
    entry["when"] = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=2)).isoformat()


FORGOTTEN: dict[str, Callable[[dict[str, Any]], object]] = {
    "a day ago": _older,
    "in the future": _later,
    "no time": lambda entry: entry.update(when="once"),
    "no zone": lambda entry: entry.update(when="2026-01-01T00:00:00"),
    "another uv": lambda entry: entry.update(uv=[1, 1]),
    "damaged": lambda entry: entry.pop("uv"),
}


@pytest.mark.parametrize("how", FORGOTTEN)
def test_memory_ends(machine: Machine, how: str) -> None:
    machine.gather("3.99")
    path = machine.local.folder / pythons.FILE
    kept = json.loads(path.read_bytes())
    FORGOTTEN[how](kept["3.99"])
    path.write_text(json.dumps(kept), encoding="utf-8")
    machine.gather("3.99")
    assert machine.asked == [["3.99"], ["3.99"]]


def test_fetched_and_not_to_be_found(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreters, "fetch", lambda *_: "")
    assert machine.gather("3.99") == {"3.99": WORDS}
    (kept,) = json.loads((machine.local.folder / pythons.FILE).read_bytes()).values()
    assert kept["reason"] == "uv fetched one, but none is found"


def test_run_with_a_missing_python_asks_uv_once(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fresh / "matrix.toml"
    path.write_text(path.read_text().replace("fetch-pythons = false", "fetch-pythons = true"), encoding="utf-8")
    called: list[tuple[str, ...]] = []
    call = uv.call

    def counting(*arguments: str, **options: float) -> uv.UvResult:
        called.append(arguments[:2])
        return call(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(uv, "call", counting)
    choice = Choice(engine="fake-engine", release="2.0", python="3.99")
    for times, options in enumerate(
        ({"fetch": False}, {"fetch": True}, {"fetch": True}, {"fetch": True, "refresh": True})
    ):
        (ended,) = project.run(fresh, choice, **options).ended.values()
        assert ended.state == "unavailable"
        assert ended.message == (WORDS if times else "no such Python on this machine")
    assert called.count(("python", "install")) == 2
