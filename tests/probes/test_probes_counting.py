"""What probes count and how they wait: neither may depend on what else the machine has to do."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

PROBES = Path(__file__).parents[2] / "probes"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return what imports a module that probes share."""
    monkeypatch.syspath_prepend(str(PROBES))
    return importlib.import_module


@pytest.fixture
def counting(module: Callable[[str], Any]) -> Any:
    return module("counting")


@pytest.fixture
def waiting(module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module with a look at the run every millisecond."""
    found = module("waiting")
    monkeypatch.setattr(found, "TICK", 0.001)
    return found


def step() -> None:
    """Do nothing: one call."""


def steps(count: int) -> None:
    for _ in range(count):
        step()


def test_each_stretch_has_the_calls_that_were_made_in_it(counting: Any) -> None:
    calls = counting.Calls()
    for count in (1, 10, 100):
        calls.mark()
        steps(count)
    calls.stop()
    steps(5)
    calls.stop()
    assert calls.stretches == [2, 11, 101]


IMPORTING = """
import sys
sys.path[:0] = sys.argv[1:]
import counting
calls = counting.Calls()
for _ in range(2):
    sys.modules.pop("imported_twice", None)
    calls.mark()
    import imported_twice
calls.stop()
assert calls.stretches[0] == calls.stretches[1] > 0, calls.stretches
"""


def test_what_an_import_calls_is_not_counted(tmp_path: Path) -> None:
    """Without bytecode a module is compiled and stored, with it only loaded."""
    (tmp_path / "imported_twice.py").write_text("def inner():\n    pass\n\n\ninner()\n", encoding="utf-8")
    subprocess.run([sys.executable, "-I", "-c", IMPORTING, str(PROBES), str(tmp_path)], check=True, timeout=60)


def test_calls_of_the_probes_own_folder_are_not_counted(counting: Any, module: Callable[[str], Any]) -> None:
    kit = module("probekit")
    calls = counting.Calls()
    calls.mark()
    with pytest.raises(kit.Refuted):
        kit.Claim.equal(None, "what", 1, 2)
    calls.stop()
    inside = calls.stretches[0]
    calls.mark()
    with pytest.raises(kit.Refuted):
        raise kit.Refuted("what: expected 2, saw 1")
    calls.stop()
    assert calls.stretches[1] == inside


def test_looks_at_the_run_are_not_counted(counting: Any, waiting: Any) -> None:
    """However often the loop wakes, and whoever it wakes for, the count is that of the work."""

    async def work(pause: float) -> int:
        calls = counting.Calls()
        calls.mark()
        for _ in range(20):
            steps(5)
            await asyncio.sleep(pause)
        calls.stop()
        return int(calls.stretches[0])

    idle, waited = waiting.play(work(0)), waiting.play(work(0.005))
    # on a busy machine one look more was seen to be counted; the work is some 140 calls
    assert abs(idle - waited) <= 8


def test_a_run_hands_on_what_it_returns_and_raises(waiting: Any) -> None:
    async def fine() -> str:
        return "fine"

    async def late() -> None:
        raise TimeoutError("the engine's own")

    assert waiting.play(fine()) == "fine"
    with pytest.raises(TimeoutError, match="the engine's own"):
        waiting.play(late())


@pytest.fixture
def cpu(waiting: Any, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list of one: the CPU seconds that the process uses between two looks."""
    used, total = [0.0], [0.0]

    def process_time() -> float:
        total[0] += used[0]
        return total[0]

    monkeypatch.setattr(waiting, "time", SimpleNamespace(process_time=process_time))
    return used


async def forever() -> None:
    await asyncio.Event().wait()


def test_a_run_that_stands_still_is_refuted(waiting: Any, cpu: list[float]) -> None:
    kit = importlib.import_module("probekit")
    with pytest.raises(kit.Refuted, match=r"did not end within 0\.05 s"):
        waiting.play(forever(), 0.05)


def test_a_run_that_works_for_ever_is_refuted(waiting: Any, cpu: list[float]) -> None:
    cpu[0] = 0.1
    kit = importlib.import_module("probekit")
    with pytest.raises(kit.Refuted, match="did not end within 2 s"):
        waiting.play(forever(), 2)


def test_a_run_that_gets_a_tenth_of_the_machine_has_ten_times_as_long(waiting: Any, cpu: list[float]) -> None:
    cpu[0] = 0.0001

    async def slow() -> str:
        await asyncio.sleep(0.2)
        return "ended"

    assert waiting.play(slow(), 0.1) == "ended"


def test_turns_and_until_count_what_others_do(waiting: Any) -> None:
    async def scene() -> tuple[bool, bool, int]:
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                beats += 1
                await asyncio.sleep(0)

        task = asyncio.ensure_future(beat())
        await waiting.turns(50)
        after = beats
        reached = await waiting.until(lambda: beats >= 200)
        never = await waiting.until(lambda: False, 10)
        task.cancel()
        return reached, never, after

    assert waiting.play(scene()) == (True, False, 50)
