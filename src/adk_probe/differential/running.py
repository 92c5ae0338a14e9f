"""The differential test: random graphs and scenarios, by every mechanism, on one release, against the reference."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from adk_probe.codegen import mechanisms as all_mechanisms
from adk_probe.differential.compare import Comparer, Counts, Example
from adk_probe.differential.engine import Warm, release_of
from adk_probe.differential.reducing import reduced
from adk_probe.differential.report import Failure, Report, save
from adk_probe.errors import InfrastructureError, InputError
from adk_probe.project.config import Engine, load
from adk_probe.project.folder import MATRIX_FILE

FOLDER = "differential-failures"
SHRINK_SECONDS = 30.0
MOST_FAILURES = 12


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
    about, releases = _declared(root, engine, mechanisms)
    release = release_of(python, about.distribution)
    report = Report(release=f"{about.distribution} {release}")
    with Warm(python, root, about) as warm:
        search = _Search(Comparer(warm, release, releases), report, examples, tick)
        # each round ends at a new kind of failure
        while len(report.failures) < MOST_FAILURES and search.round(seed):
            seed += 1
    report.seconds = time.monotonic() - began
    save(report, folder or root / FOLDER)
    return report


def _declared(root: Path, engine: str, wanted: Sequence[str]) -> tuple[Engine, dict[str, str]]:
    """Return an engine, and for which of its releases each mechanism is."""
    declared = load(root / MATRIX_FILE)
    if engine not in declared.engines:
        raise InputError(f"matrix.toml: no engine {engine!r}", f"Use one of {', '.join(declared.engines)}.")
    known = all_mechanisms()
    own = {name: each.releases for name, each in declared.mechanisms.items() if each.engine == engine and name in known}
    if missing := sorted(set(wanted) - own.keys()):
        raise InputError(f"{missing[0]!r} is no mechanism on {engine}", f"Use one of {', '.join(own)}.")
    releases = {name: releases for name, releases in own.items() if not wanted or name in wanted}
    return declared.engines[engine], releases


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
        except (_FoundError, _EnoughError):
            assert self.shrinking is not None
            assert self.last is not None
            self.report.failures.append(self._failure(self.last, self.shrinking))
            self.comparer.counts = self.report.counts
            return True
        return False

    def example(self, example: Example) -> None:
        """Compare an example; raise _FoundError if it fails in the way that the search is looking for."""
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
            raise _FoundError

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


class _FoundError(Exception):
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
