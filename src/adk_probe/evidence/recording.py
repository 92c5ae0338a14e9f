"""Puts what was seen here into the evidence: what is finished is never lost, and nothing of others is either."""

from __future__ import annotations

from pathlib import Path

import msgspec

from adk_probe.evidence import journal, merging, store
from adk_probe.evidence.inputs import code_inputs, environment_inputs
from adk_probe.files import digest, sweep
from adk_probe.machine import locks, verify
from adk_probe.machine.state import WHOLE, Local
from adk_probe.model import Kind, Observation, Target, TargetResult
from adk_probe.project.folder import Project


def record(project: Project, ours: TargetResult) -> None:
    """Merge cells that were run just now into their target's evidence.

    Raises:
        InfrastructureError: it cannot be written; older evidence stays.
    """
    with locks.reports(project.root):
        before = store.load_timed(project.root, ours.target)
        _save(project, merging.merged(before, ours, project.catalog.probes[ours.target.engine]), ours)


def record_fault(project: Project, ours: TargetResult, since: str) -> str:
    """Save the fault of a whole target; return why it was not saved, or nothing.

    Args:
        since: the digest of the target's evidence when the work began; empty where there was none.

    Raises:
        InfrastructureError: it cannot be written; older evidence stays.
    """
    assert ours.fault is not None
    with locks.reports(project.root):
        before = store.load_timed(project.root, ours.target)
        if before is not None and ours.fault.kind is Kind.INFRASTRUCTURE:
            return "the evidence from before is kept"
        if before is not None and before.digest != since and before.controlled:
            return "but another harness saw it work meanwhile, and its evidence is kept"
        _save(project, ours, ours)
    return ""


def confirm(project: Project, target: Target, resolved: str) -> None:
    """Keep that the index still gives the pins of the evidence there is, which thereby is as fresh as of that day.

    Raises:
        InfrastructureError: it cannot be written; older evidence stays.
    """
    with locks.reports(project.root):
        before = store.load_timed(project.root, target)
        if before is not None and before.resolved != resolved:
            store.save(project.root, msgspec.structs.replace(before, resolved=resolved))


def _save(project: Project, result: TargetResult, ours: TargetResult) -> None:
    """Write a target's evidence, and remember which of its observations were made here."""
    local = Local(project.root)
    cells = {cell.probe: cell for cell in result.cells}
    seen = {cell.probe: digest(cell) for cell in ours.cells if cells.get(cell.probe) == cell}
    if ours.fault is not None:
        seen[WHOLE] = digest(ours.fault)
    there = cells.keys() | ({WHOLE} if result.fault is not None else set())
    before = {name: made for name, made in local.observed(result.target).items() if name in there}
    # before the evidence, so that a run that is killed in between knows its own evidence again
    local.reports_are_due()
    local.observe(result.target, before | seen)
    sweep(project.root / store.FOLDER)
    store.save(project.root, result)


def take_over(project: Project, path: Path) -> None:
    """Put the cells of an interrupted run's journal into the evidence; the journal is removed.

    Cells are left out whose run had no good controls, whose environment was damaged, or that the project's files have
    changed since.

    Raises:
        InfrastructureError: evidence cannot be written; the journal stays.
    """
    found = journal.read(path)
    known = project.catalog.probes.get(found.target.engine, {}) if found is not None else {}
    if found is not None and found.controlled and _undamaged(project, found.target):
        cells = tuple(cell for cell in found.cells if cell.probe in known and _current(project, found, cell))
        if cells:
            _take_over(project, msgspec.structs.replace(found, cells=cells))
    path.unlink(missing_ok=True)


def _undamaged(project: Project, target: Target) -> bool:
    """Whether the environment still is as it was installed, so that what was seen in it is the engine's doing."""
    local = Local(project.root)
    seal = local.state(target).seal
    try:
        return seal is not None and verify.check(local.environment(target), seal) is not None
    except verify.Damaged:
        return False


def _take_over(project: Project, ours: TargetResult) -> None:
    known = project.catalog.probes[ours.target.engine]
    with locks.reports(project.root):
        before = store.load_timed(project.root, ours.target)
        if before is not None and before.run.when > ours.run.when:
            _save(project, merging.filled(before, ours, known), ours)
        else:
            _save(project, merging.merged(before, ours, known), ours)


def _current(project: Project, found: TargetResult, cell: Observation) -> bool:
    """Whether the project's files are still what a journal's cell was made with."""
    assert found.environment is not None
    probe = project.catalog.probes[found.target.engine][cell.probe]
    own = code_inputs(project.catalog, probe)
    return cell.inputs == {**own, **environment_inputs(found.environment)}
