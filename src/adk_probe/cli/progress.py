"""Show the progress of a run: a live bar on a terminal, one line per finished target elsewhere."""

from __future__ import annotations

import contextlib
import threading

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from adk_probe.execution.target import TargetOutcome
from adk_probe.model import Target


class Shown:
    """Shows targets and cells on a console as they end; a context manager around the run."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.lock = threading.Lock()
        self.total = self.count = 0
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self.task = self.bar.add_task("cells", total=None)

    def __enter__(self) -> Shown:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def begin(self, targets: int, cells: int) -> None:
        """Say how much there is to do."""
        self.total = targets
        self.bar.update(self.task, total=cells)

    def cell(self, target: Target, probe: str) -> None:
        """Say that one cell ended."""
        self.bar.update(self.task, advance=1, description=f"{target.engine} {target.release} {probe}"[:60])

    def done(self, outcome: TargetOutcome) -> None:
        """Say that one target ended."""
        if outcome.state == "current":
            return
        with self.lock:
            place = "      "
            if outcome.state in ("ran", "fault", "trouble"):
                self.count += 1
                place = f"{self.count:>2}/{self.total:<2} "
            ended = {"ran": f"{outcome.cells} cells in {outcome.seconds:.1f} s", "trouble": "infrastructure error"}
            told = ended.get(outcome.state, outcome.state)
            tail = f": {outcome.message}" if outcome.message else ""
            # a run goes on even if its progress cannot be shown
            with contextlib.suppress(OSError):
                self.console.print(
                    f"{place}{outcome.target.label}: {told}{tail}", markup=False, highlight=False, soft_wrap=True
                )
