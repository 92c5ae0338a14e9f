"""An event loop whose clock skips waiting times, so that a delay of seconds takes no time."""

from __future__ import annotations

import asyncio
import contextlib
import selectors
from typing import Any, Iterator

PATIENCE = 0.02
"""Real seconds to wait before the clock skips, while a model of the scenario is answering."""

IDLE_PATIENCE = 1.0
"""The same while no model is answering. Then something waits for a thread, a file or an engine's own timer."""

_sleepers = 0


@contextlib.contextmanager
def sleeping() -> Iterator[None]:
    """Mark a block in which the scenario lets time pass."""
    global _sleepers
    _sleepers += 1
    try:
        yield
    finally:
        _sleepers -= 1


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop that skips the time until its next timer."""

    def __init__(self) -> None:
        self._leapt = 0.0
        super().__init__(_LeapingSelector(self))

    def time(self) -> float:
        """Return the loop's clock, in seconds: real time and all skipped time."""
        return super().time() + self._leapt

    def leap(self, seconds: float) -> None:
        """Set the clock forward."""
        self._leapt += seconds


class _LeapingSelector:
    """A selector that skips time instead of waiting if nothing happens."""

    def __init__(self, loop: LeapingLoop) -> None:
        self._loop = loop
        self._real = selectors.DefaultSelector()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def select(self, timeout: Any = None) -> Any:
        patience = PATIENCE if _sleepers else IDLE_PATIENCE
        if timeout is None or timeout <= patience:
            return self._real.select(timeout)
        ready = self._real.select(patience)
        if not ready:
            self._loop.leap(timeout - patience)
        return ready
