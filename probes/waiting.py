"""Waits in turns of the event loop, not in seconds, so that how a race ends is up to the engine and not to the load."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Callable

from probekit import Refuted

TICK = 0.25
"""Seconds between two looks at a run."""

BUSY = 0.05
"""The part of such a stretch that a run must have spent on a CPU to be at work, even where it gets little of one."""


async def turns(count: int = 100) -> None:
    """Give way so many times: what is ready does as many steps, however long they take."""
    for _ in range(count):
        await asyncio.sleep(0)


async def until(holds: Callable[[], Any], count: int = 1000) -> bool:
    """Give way until something holds, but not for ever; tell whether it does."""
    for _ in range(count):
        if holds():
            return True
        await asyncio.sleep(0)
    return bool(holds())


def play(scene: Any, seconds: float = 20) -> Any:
    """Run a coroutine to its end; one that stands still or works for so many seconds refutes the claim.

    It stands still when the process uses no CPU although it could. One that waits for its share of a busy machine does
    not, and time of CPU is all that counts of it.
    """
    return asyncio.run(_patiently(scene, seconds))


async def _patiently(scene: Any, seconds: float) -> Any:
    loop = asyncio.get_running_loop()
    task, late = asyncio.ensure_future(scene), loop.create_future()
    began = time.process_time()

    # a callback of the loop and no task that sleeps: Calls leaves out what the loop does, and so what this costs
    def look(before: float, still: float) -> None:
        now = time.process_time()
        still = 0.0 if now - before > BUSY * TICK else still + TICK
        if max(still, now - began) < seconds:
            loop.call_later(TICK, look, now, still)
        elif not late.done():
            late.set_result(None)

    loop.call_later(TICK, look, began, 0.0)
    await asyncio.wait({task, late}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return task.result()
    task.cancel()
    raise Refuted(f"the run did not end within {seconds} s")
