"""An event loop whose clock stands still while there is work and leaps when there is none.

A delay of minutes costs nothing, and a slow machine makes no run late: what the loop's timers say depends on what the
scenario lets pass, never on how long the work in between took.
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import threading
from pathlib import Path
from typing import Any, Iterator

PATIENCE = 0.02
"""Seconds in which nothing may happen before the clock leaps, while a model of the scenario takes its time."""

IDLE_PATIENCE = 1.0
"""The same while none does: then somebody waits for a thread or a file, or for an engine's own timer."""

_sleepers = 0


@contextlib.contextmanager
def sleeping() -> Iterator[None]:
    """Mark a stretch in which the scenario lets time pass."""
    global _sleepers
    _sleepers += 1
    try:
        yield
    finally:
        _sleepers -= 1


class LeapingLoop(asyncio.SelectorEventLoop):
    """Counts time from what its timers ask for, and nothing else."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_LeapingSelector(self))

    def time(self) -> float:
        """The loop's clock, in seconds: the sum of all leaps."""
        return self._now

    def leap(self, seconds: float) -> None:
        """Set the clock forward."""
        self._now += seconds


class _LeapingSelector:
    """A selector that leaps instead of waiting when nothing happens."""

    def __init__(self, loop: LeapingLoop) -> None:
        self._loop = loop
        self._real = selectors.DefaultSelector()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def select(self, timeout: Any = None) -> Any:
        if timeout is None or timeout <= 0:
            return self._real.select(timeout)
        ready = self._real.select(min(timeout, PATIENCE if _sleepers else IDLE_PATIENCE))
        # a thread at work, as one that stores a session, has all the time that it needs
        while not ready and _others_at_work():
            ready = self._real.select(PATIENCE)
        # what it ended with may have come since
        ready = ready or self._real.select(0)
        if not ready:
            self._loop.leap(timeout)
        return ready


def _others_at_work() -> bool:
    """Whether another thread of this process runs, could run, or waits for the disk; where nothing tells, none does."""
    own = threading.get_native_id()
    for place in Path("/proc/self/task").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            if int(place.name) != own and (place / "stat").read_bytes().rpartition(b")")[2].split()[0] in (b"R", b"D"):
                return True
    return False
