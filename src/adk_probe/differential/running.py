"""The differential test: random graphs and scenarios, by every mechanism, on one release, against the reference."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from adk_probe.codegen import mechanisms as all_mechanisms
from adk_probe.differential.compare import Comparer, Counts, Divergence, Example
from adk_probe.differential.engine import Warm, release_of
from adk_probe.differential.reducing import reduced
from adk_probe.errors import InfrastructureError, InputError
from adk_probe.files import write_atomic
from adk_probe.project.config import Config, load

FOLDER = "differential-failures"
SHRINK_SECONDS = 30.0
MOST_FAILURES = 12


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


def run(
    python: Path,
    examples: int,
    *,
    root: Path,
    seed: int = 0,
    mechanisms: Sequence[str] = (),
    engine: str = "google-adk",
    folder: Path | None = None,
    tick: Callable[[int], None] = lambda _: None,
) -> Report:
    """Draw examples, run them by every mechanism, and shrink those that differ from the reference.

    Args:
        python: the Python of an environment with the engine.
        examples: how many examples to draw.
        root: the folder with ``matrix.toml``.
        seed: the same seed draws the same examples; how far they shrink depends on the machine's speed.
        mechanisms: the mechanisms to generate by; empty means all of the engine.
        engine: the engine's name in ``matrix.toml``.
        folder: where failures are saved; by default ``differential-failures`` in ``root``.
        tick: called after each example with the number of examples so far.

    Raises:
        InputError: Hypothesis is not installed, or there is no such mechanism or engine.
        InfrastructureError: the engine cannot be imported, or its process ends.
    """
    began = time.monotonic()
    declared = load(root / "matrix.toml")
    releases = _releases(declared, engine, mechanisms)
    about = declared.engines[engine]
    release = release_of(python, about.distribution)
    report = Report(release=f"{about.distribution} {release}")
    with Warm(python, root, about) as warm:
        search = _Search(Comparer(warm, release, releases), report, examples, tick)
        # each round ends at a new kind of failure
        while len(report.failures) < MOST_FAILURES and search.round(seed):
            seed += 1
    report.seconds = time.monotonic() - began
    _save(report, folder or root / FOLDER)
    return report


def _save(report: Report, folder: Path) -> None:
    for failure in report.failures:
        for name, data in (("ir", failure.ir), ("scenarios", failure.scenarios)):
            path = folder / f"{failure.name}.{name}.json"
            try:
                write_atomic(path, data, f"{folder.name}/{path.name}")
            except InfrastructureError as error:
                # what was found is told all the same
                report.unsaved.append(error.message)


def _releases(declared: Config, engine: str, wanted: Sequence[str]) -> dict[str, str]:
    if engine not in declared.engines:
        raise InputError(f"matrix.toml: no engine {engine!r}", f"Use one of {', '.join(declared.engines)}.")
    known = all_mechanisms()
    own = {name: each.releases for name, each in declared.mechanisms.items() if each.engine == engine and name in known}
    if missing := sorted(set(wanted) - own.keys()):
        raise InputError(f"{missing[0]!r} is no mechanism on {engine}", f"Use one of {', '.join(own)}.")
    return {name: releases for name, releases in own.items() if not wanted or name in wanted}


class _Search:
    def __init__(self, comparer: Comparer, report: Report, wanted: int, tick: Callable[[int], None]) -> None:
        self.comparer = comparer
        self.report = report
        self.wanted = wanted
        self.tick = tick
        self.drawn: set[tuple[bytes, bytes]] = set()
        self.seen: set[tuple[str, str]] = set()
        self.shrinking: tuple[str, str] | None = None
        self.until = 0.0
        self.last: Example | None = None
        self.broken: InfrastructureError | None = None
        report.counts = comparer.counts

    def round(self, seed: int) -> bool:
        """Draw examples until all are done or one fails in a new way; shrink that one.

        Returns:
            Whether a further round is needed.
        """
        self.shrinking = self.last = None
        try:
            if self.report.examples < self.wanted:
                # draw more than needed, because some are drawn more than once
                _drive(self.example, 3 * (self.wanted - self.report.examples), seed)
        except (_PartedError, _EnoughError):
            assert self.shrinking is not None
            assert self.last is not None
            self.report.failures.append(self._failure(self.last, self.shrinking))
            self.comparer.counts = self.report.counts
            return True
        return False

    def example(self, example: Example) -> None:
        """Compare an example; raise _PartedError if it fails in the way that the search is looking for."""
        if self.broken is not None:
            raise self.broken
        try:
            fails = self._shrink(example, *self.shrinking) if self.shrinking is not None else self._new(example)
        except InfrastructureError as error:
            self.broken = error
            raise
        if fails:
            # raised in one place only, because Hypothesis treats failures on different lines as different ones
            self.last = example
            raise _PartedError

    def _new(self, example: Example) -> bool:
        if self.report.examples >= self.wanted or (example.ir_file, example.scenario_file) in self.drawn:
            return False
        self.drawn.add((example.ir_file, example.scenario_file))
        found = [
            divergence for name in self.comparer.mechanisms if (divergence := self.comparer.compare(example, name))
        ]
        unsteady = [divergence for divergence in found if not self.comparer.steady(example, divergence)]
        self.report.unsteady += unsteady
        found = [divergence for divergence in found if divergence not in unsteady]
        self.report.examples += 1
        self.tick(self.report.examples)
        new = [divergence for divergence in found if (divergence.mechanism, divergence.kind) not in self.seen]
        self.seen |= {(divergence.mechanism, divergence.kind) for divergence in new}
        if new:
            # the runs of shrinking are not counted
            self.comparer.counts = Counts()
            self.shrinking = (new[0].mechanism, new[0].kind)
            self.until = time.monotonic() + SHRINK_SECONDS
        return bool(new)

    def _shrink(self, example: Example, name: str, kind: str) -> bool:
        if time.monotonic() > self.until:
            raise _EnoughError
        divergence = self.comparer.compare(example, name)
        return divergence is not None and divergence.kind == kind

    def _failure(self, example: Example, about: tuple[str, str]) -> Failure:
        example = self._reduced(example, *about)
        found = [
            divergence for name in self.comparer.mechanisms if (divergence := self.comparer.compare(example, name))
        ]
        self.seen |= {(divergence.mechanism, divergence.kind) for divergence in found}
        name = "-".join([f"{len(self.report.failures) + 1:02}", about[0], *about[1].lower().split()[:2]])
        return Failure(
            "".join(c for c in name if c.isalnum() or c in "-_"), tuple(found), example.ir_file, example.scenario_file
        )

    def _reduced(self, example: Example, name: str, kind: str) -> Example:
        until = time.monotonic() + SHRINK_SECONDS

        def fails(smaller: Example) -> bool:
            if time.monotonic() > until:
                raise StopIteration
            divergence = self.comparer.compare(smaller, name)
            return divergence is not None and divergence.kind == kind

        return reduced(example.ir_file, example.scenario_file, fails) or example


class _PartedError(Exception):
    """The example fails in the way that the search is looking for."""


class _EnoughError(BaseException):
    """Shrinking used up its time. It is not an Exception, because Hypothesis would treat that as another failure."""


def _drive(test: Callable[[Any], None], examples: int, seed: int) -> None:
    """Let Hypothesis draw examples and shrink the first one that fails."""
    try:
        import hypothesis
    except ImportError:
        hint = "Install it with this project's dependency group `tests`."
        raise InputError("the differential test needs Hypothesis", hint) from None
    # imported here because they need Hypothesis too
    from adk_probe.differential.scenarios import examples as drawing

    settings = hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )
    hypothesis.seed(seed)(settings(hypothesis.given(drawing())(test)))()
