"""What a differential test found, and the files that it is saved in."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from adk_probe.differential.compare import Counts, Divergence
from adk_probe.errors import InfrastructureError
from adk_probe.files import write_atomic


class Failure(Struct, frozen=True):
    """A shrunk example that differs from the reference.

    Attributes:
        name: the name of its files, without the extension.
        divergences: the difference for each mechanism that fails on it.
        ir, scenarios: the content of its files.
    """

    name: str
    divergences: tuple[Divergence, ...]
    ir: bytes
    scenarios: bytes


class Report(Struct):
    """What a differential test did and found.

    Attributes:
        release: the engine and its release.
        examples: number of examples that were drawn and run, without those of shrinking.
        counts: numbers of cells by mechanism, without those of shrinking.
        unsteady: runs that differed from the reference once, but not when they were repeated.
        failures: one for each mechanism and kind of difference.
        unsaved: why files of failures could not be written.
        seconds: duration of the test.
    """

    release: str
    examples: int = 0
    counts: Counts = field(default_factory=Counts)
    unsteady: list[Divergence] = []
    failures: list[Failure] = []
    unsaved: list[str] = []
    seconds: float = 0.0

    @property
    def lines(self) -> list[str]:
        """The report as text."""
        made = [f"{self.examples} examples on {self.release} in {self.seconds:.0f} s, {len(self.failures)} failure(s)"]
        for name in sorted({*self.counts.cells, *self.counts.refused}):
            counts = (self.counts.cells, self.counts.divergences, self.counts.absent, self.counts.refused)
            cells, divergence, absent, refused = (count[name] for count in counts)
            made.append(f"  {name}: {cells} cells, {divergence} different, {absent} absent; {refused} examples refused")
        for failure in self.failures:
            made.append(f"{failure.name}:")
            made += [f"  {one.mechanism}: {one.message}" for one in failure.divergences]
        made += [f"not saved: {words}" for words in self.unsaved]
        made += [f"only once: {one.mechanism}: {one.message}" for one in self.unsteady]
        return made


def save(report: Report, folder: Path) -> None:
    """Write each failure's graph and scenarios to a folder; what cannot be written goes to ``unsaved``."""
    for failure in report.failures:
        for name, data in (("ir", failure.ir), ("scenarios", failure.scenarios)):
            path = folder / f"{failure.name}.{name}.json"
            try:
                write_atomic(path, data, f"{folder.name}/{path.name}")
            except InfrastructureError as error:
                # what was found is reported all the same
                report.unsaved.append(error.message)
