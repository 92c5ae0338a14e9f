"""The clock of fidelity runs: what it says is up to the scenario, whatever the machine has to do."""

from __future__ import annotations

import asyncio
import importlib
import sys
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

FIDELITY = Path(__file__).parents[2] / "probes" / "fidelity"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FIDELITY))
    return importlib.import_module("clock")


def play(clock: Any, scene: Coroutine[Any, Any, Any]) -> Any:
    loop = clock.LeapingLoop()
    try:
        return loop.run_until_complete(scene)
    finally:
        loop.close()


def test_work_takes_no_time(clock: Any) -> None:
    async def scene() -> float:
        now: float = asyncio.get_running_loop().time()
        time.sleep(0.05)
        await asyncio.sleep(0)
        return float(asyncio.get_running_loop().time()) - now

    assert play(clock, scene()) == 0


def test_a_delay_takes_the_time_that_it_says(clock: Any) -> None:
    async def scene() -> list[float]:
        seen = []
        for seconds in (0.2, 6, 400):
            with clock.sleeping():
                await asyncio.sleep(seconds)
            seen.append(asyncio.get_running_loop().time())
        return seen

    assert play(clock, scene()) == pytest.approx([0.2, 6.2, 406.2])


def test_a_slow_machine_makes_no_run_late(clock: Any) -> None:
    """The work takes longer than the limit, the delay less: in time."""

    async def scene() -> str:
        async def passes() -> str:
            for _ in range(3):
                time.sleep(0.05)
                with clock.sleeping():
                    await asyncio.sleep(0.02)
            return "in time"

        return await asyncio.wait_for(passes(), 0.1)

    assert play(clock, scene()) == "in time"


def test_a_delay_over_the_limit_is_late(clock: Any) -> None:
    async def scene() -> None:
        with clock.sleeping():
            await asyncio.wait_for(asyncio.sleep(6), 2)

    with pytest.raises(asyncio.TimeoutError):
        play(clock, scene())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says what a thread does")
def test_the_clock_does_not_leap_while_a_thread_is_at_work(clock: Any) -> None:
    async def scene() -> list[str]:
        order, loop, done = [], asyncio.get_running_loop(), asyncio.Event()

        def work() -> None:
            until = time.monotonic() + 10 * clock.PATIENCE
            while time.monotonic() < until:
                pass
            loop.call_soon_threadsafe(done.set)

        async def waits() -> None:
            await done.wait()
            order.append("the thread is done")

        async def delayed() -> None:
            with clock.sleeping():
                await asyncio.sleep(6)
            order.append("the model answers")

        threading.Thread(target=work).start()
        await asyncio.gather(delayed(), waits())
        return order

    assert play(clock, scene()) == ["the thread is done", "the model answers"]
