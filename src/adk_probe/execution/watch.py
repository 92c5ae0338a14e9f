"""Follows one worker process: reads its events, and ends it with all that is below it."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.execution.processes import below, born_in

# who stops the harness may stop what it started a moment before
GRACE_SECONDS = 0.5


class Interrupted(Exception):
    """The user asked to stop; the target in work is given up, what was finished is kept."""


class Watch:
    """Reads a worker's events, and ends it with all that is below it."""

    def __init__(self, process: subprocess.Popen[bytes], read: int, stop: threading.Event, scratch: Path) -> None:
        self.process = process
        self.stop = stop
        self.scratch = scratch
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self.thread = threading.Thread(target=self._pump, args=(read,), daemon=True)
        self.thread.start()

    def _pump(self, read: int) -> None:
        with os.fdopen(read, "rb") as events:
            for line in events:
                self.lines.put(line)
        self.lines.put(None)

    def next(self, seconds: float) -> dict[str, Any] | None:
        """Return the next event; None when the worker ended.

        Raises:
            TimeoutError: nothing came in time.
            Interrupted: the user asked to stop, and all that the worker had told by then was returned.
        """
        waited = 0.0
        while True:
            if stopped := self.stop.is_set():
                self._hush()
            try:
                line = self.lines.get(timeout=0.0 if stopped else 0.1)
            except queue.Empty:
                if stopped:
                    raise Interrupted from None
                waited += 0.1
                if self.process.poll() is not None and waited > 1:
                    return None
                if waited > seconds:
                    raise TimeoutError from None
                continue
            if line is None and stopped:
                raise Interrupted
            try:
                event = msgspec.json.decode(line) if line else None
            except (msgspec.DecodeError, RecursionError):
                # a probe found the descriptor and wrote rubbish into it
                continue
            return event if event is None or _plain(event) else {}

    def _hush(self) -> None:
        """Let the worker tell no more, and read what it told to the end."""
        if self.process.returncode is None:
            self.kill()
        self.thread.join(1)

    def unless_stopped(self, code: object) -> None:
        """Raise Interrupted where a process was killed, by its exit code, since the user stops this very moment."""
        if isinstance(code, int) and code < 0 and self.stop.wait(GRACE_SECONDS):
            raise Interrupted

    def code(self) -> int | None:
        """Return the exit code of a worker that told its last; None where it hangs on."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        return self.process.returncode

    def kill(self) -> None:
        """Kill the worker, its children and their children."""
        descendants = below(self.process.pid)
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for pid in descendants:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        # who outlived a worker that was brought down is below nobody any more, but was born with its environment
        for _ in range(100):
            left = born_in(self.scratch)
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                return
            time.sleep(0.01)


def _plain(event: object) -> bool:
    """Whether an event is a table with plain words for what it is and whom it is about."""
    return isinstance(event, dict) and all(isinstance(event.get(key, ""), str) for key in ("event", "id"))
