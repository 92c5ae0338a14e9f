"""The command in a process of its own, to be interrupted from outside at a point that the test chooses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import adk_probe
from fake import probes, project

WAITS = """
from pathlib import Path
import time
place = Path(__file__).resolve().parents[2] / "gates"
(place / "at-{name}").touch()
while not (place / "{name}").exists():
    time.sleep(0.01)
claim.note("{name} was let through")
"""
SECONDS = 120.0


def gate(root: Path, *names: str) -> None:
    """Add probes to the fake engine, each of which waits until it is let through."""
    (root / "gates").mkdir(exist_ok=True)
    for name in names:
        text = probes.probe(name, "fake-engine", WAITS.format(name=name), timeout=SECONDS)
        (root / "probes" / "fake" / f"{name}.py").write_text(text, encoding="utf-8")


def let_through(root: Path, *names: str) -> None:
    """Let probes through their gates, now and in every later run."""
    for name in names:
        (root / "gates" / name).touch()


def at(root: Path, name: str) -> Callable[[], bool]:
    """Return what says whether a probe has come to its gate."""
    return (root / "gates" / f"at-{name}").exists


class Command:
    """``adk-probe run`` in a process of its own; a context manager that leaves no process behind.

    Args:
        home: the folder of its local state; by default the project's own.
    """

    def __init__(self, root: Path, *options: str, home: Path | None = None) -> None:
        # a caller's habits are meant for the caller's own Python
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        environment = {**kept, "PYTHONPATH": str(Path(adk_probe.__file__).parents[1])}
        if home is not None:
            environment["ADK_PROBE_HOME"] = str(home)
        command = [sys.executable, "-m", "adk_probe", "--root", str(root), "run", "--no-fetch", "--json", *options]
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        self.said = ""

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        # closes its pipes and waits for it, whether it had ended or not
        self.process.__exit__(None, None, None)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to happen while the command runs."""
        deadline = time.monotonic() + SECONDS
        while not condition():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def stop(self, how: signal.Signals) -> None:
        """Stop it by a signal; it must end as a command that was interrupted does, and all that it started with it."""
        below = self.family()
        self.process.send_signal(how)
        self.end()
        assert self.process.returncode == (-how if how is signal.SIGKILL else 130), self.said
        assert "Traceback" not in self.said
        if how is not signal.SIGKILL:
            assert "interrupted; what was finished is kept" in self.said
        # the kernel ends what a killed command leaves, in its own time
        deadline = time.monotonic() + SECONDS
        while left := [pid for pid in below if project.alive(pid)]:
            assert time.monotonic() < deadline, left
            time.sleep(0.02)

    def end(self) -> int:
        """Wait until it has ended; return its exit code."""
        _, said = self.process.communicate(timeout=SECONDS)
        self.said = said.decode()
        return self.process.returncode

    def family(self) -> list[int]:
        """Return every process below it."""
        from adk_probe.execution.processes import below

        return below(self.process.pid)
