"""An event loop whose clock leaps over waiting, so that a delay of seconds costs none."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any

PATIENCE = 0.02
"""Seconds to wait in earnest for threads and files before the clock leaps."""


class LeapingLoop(asyncio.SelectorEventLoop):
    """Counts time from what its timers ask for."""

    def __init__(self) -> None:
        self._leapt = 0.0
        super().__init__(_LeapingSelector(self))

    def time(self) -> float:
        """The loop's clock, in seconds: real time and all leaps."""
        return super().time() + self._leapt

    def leap(self, seconds: float) -> None:
        """Set the clock forward."""
        self._leapt += seconds


class _LeapingSelector:
    """A selector that leaps instead of waiting when nothing happens."""

    def __init__(self, loop: LeapingLoop) -> None:
        self._loop = loop
        self._real = selectors.DefaultSelector()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def select(self, timeout: Any = None) -> Any:
        if timeout is None or timeout <= PATIENCE:
            return self._real.select(timeout)
        ready = self._real.select(PATIENCE)
        if not ready:
            self._loop.leap(timeout - PATIENCE)
        return ready
