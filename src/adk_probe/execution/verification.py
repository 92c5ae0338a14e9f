"""Runs cells of the evidence again, in fresh environments with the recorded pins, and compares; changes nothing."""

from __future__ import annotations

import random
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.errors import EvidenceError
from adk_probe.evidence import store
from adk_probe.evidence.cells import Cell
from adk_probe.evidence.judge import Judgement
from adk_probe.execution import env, interpreters, run
from adk_probe.execution.target import job_for
from adk_probe.model import Interpreter, Observation, Outcome, Target, TargetResult
from adk_probe.project.fidelity_cells import with_examples
from adk_probe.project.folder import Project
from adk_probe.project.plan import Planned

VERIFY_SCHEMA = "adk-probe.verification/1"
SAMPLE = 20
COMPARED = ("outcome", "kind", "message", "facts", "warnings")


class Difference(msgspec.Struct, frozen=True):
    """One thing of a cell that came out otherwise; ``what`` is a field of an observation."""

    what: str
    recorded: Any
    seen: Any


class VerifiedCell(msgspec.Struct, frozen=True):
    """What came of running one cell again.

    Attributes:
        unknown: why it could not be compared; empty where it was.
    """

    target: Target
    probe: str
    differences: tuple[Difference, ...] = ()
    unknown: str = ""


class Verification(msgspec.Struct, frozen=True):
    """What came of running a sample again.

    Attributes:
        among: how many cells of the evidence the sample was drawn from.
        seed: draws the same sample from the same evidence.
    """

    schema: str
    seed: int
    among: int
    cells: tuple[VerifiedCell, ...]

    @property
    def differing(self) -> tuple[VerifiedCell, ...]:
        """The cells that came out otherwise."""
        return tuple(cell for cell in self.cells if cell.differences)

    @property
    def unknown(self) -> tuple[VerifiedCell, ...]:
        """The cells that could not be compared."""
        return tuple(cell for cell in self.cells if cell.unknown)


def candidates(judgement: Judgement, planned: Iterable[Planned] | None, probes: Iterable[str] | None) -> list[Cell]:
    """Return the cells of the evidence that can be run again: an answer was seen, and nothing it depends on changed."""
    targets = None if planned is None else {item.target for item in planned}
    names = None if probes is None else set(probes)
    answered = (Outcome.PASS, Outcome.FAIL, Outcome.ABSENT)
    return [
        cell
        for cell in judgement.cells
        if cell.outcome in answered
        and not cell.changed
        and (targets is None or cell.target in targets)
        and (names is None or cell.probe in names)
    ]


def sample(cells: list[Cell], count: int | None, seed: int) -> dict[Target, list[str]]:
    """Draw cells, and return the probes of each target; all of them where no count is given."""
    drawn = cells if count is None or count >= len(cells) else random.Random(seed).sample(cells, count)  # noqa: S311
    found: dict[Target, list[str]] = {}
    for cell in sorted(drawn, key=lambda each: (each.target.order, each.probe)):
        found.setdefault(cell.target, []).append(cell.probe)
    return found


def verify(
    project: Project,
    chosen: Mapping[Target, list[str]],
    jobs: int,
    tell: Callable[[Target, str], None],
) -> list[VerifiedCell]:
    """Run the chosen cells again and compare them with what was recorded.

    Raises:
        KeyboardInterrupt: the user asked to stop.
    """
    results = store.load(project.root).results
    found = interpreters.find({target.python for target in chosen})
    stop = threading.Event()
    pool = ThreadPoolExecutor(max_workers=max(1, jobs))
    try:
        futures = [
            pool.submit(_verify, project, results[target.key], probes, found.get(target.python), stop, tell)
            for target, probes in chosen.items()
        ]
        return [cell for future in futures for cell in future.result()]
    except BaseException:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    finally:
        pool.shutdown()


def _verify(
    project: Project,
    result: TargetResult,
    probes: list[str],
    interpreter: Interpreter | None,
    stop: threading.Event,
    tell: Callable[[Target, str], None],
) -> list[VerifiedCell]:
    target = result.target
    if interpreter is None or result.environment is None:
        why = f"no Python {target.python} on this machine" if interpreter is None else "no pins are recorded"
        return [VerifiedCell(target, probe, unknown=why) for probe in probes]
    recorded = {cell.probe: cell for cell in result.cells}
    with tempfile.TemporaryDirectory(prefix="adk-probe-verify-", ignore_cleanup_errors=True) as place:
        try:
            seen = _run(project, result, probes, interpreter, Path(place) / "env", stop, tell)
        except env.Failed as error:
            return [VerifiedCell(target, probe, unknown=error.fault.message) for probe in probes]
    if not run.controlled(seen):
        why = seen.fault.message if seen.fault is not None else "the controls failed"
        return [VerifiedCell(target, probe, unknown=why) for probe in probes]
    return [_compared(target, recorded[probe], seen.cells.get(probe)) for probe in probes]


def _run(
    project: Project,
    result: TargetResult,
    probes: list[str],
    interpreter: Interpreter,
    folder: Path,
    stop: threading.Event,
    tell: Callable[[Target, str], None],
) -> run.WorkerResult:
    target = result.target
    assert result.environment is not None
    resolved = env.Resolved("\n".join(result.environment.pins) + "\n")
    env.install(folder, target, resolved, interpreter.path, project.config.settings.build_seconds)
    known = project.catalog.probes[target.engine]
    # as many random models as there were
    examples = {cell.probe: cell.facts.get("examples") for cell in result.cells}
    again = tuple(with_examples(known[probe], examples.get(probe)) for probe in probes)
    job = job_for(project, target, interpreter, folder, again)
    return run.run(job, stop, lambda probe, _: tell(target, probe))


def _compared(target: Target, recorded: Observation, seen: run.CellResult | None) -> VerifiedCell:
    if seen is None:
        return VerifiedCell(target, recorded.probe, unknown="it did not run")
    differences = tuple(
        Difference(name, was, now)
        for name in COMPARED
        if (was := _plain(getattr(recorded, name))) != (now := _plain(getattr(seen, name)))
    )
    return VerifiedCell(target, recorded.probe, differences)


def _plain(value: Any) -> Any:
    # as it would stand in a file, where tuples are lists
    return msgspec.json.decode(msgspec.json.encode(value))


def checked(verification: Verification) -> Verification:
    """Return a verification that says something.

    Raises:
        EvidenceError: there was no cell to run again.
    """
    if not verification.cells:
        raise EvidenceError(
            "there is no evidence of such a cell that is not stale", "`adk-probe run` with the same options makes it."
        )
    return verification
