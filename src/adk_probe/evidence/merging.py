"""Two pieces of evidence of one target → one, cell by cell; pure."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from adk_probe.model import CONTROL_FAIL, CONTROL_PASS, Kind, Observation, TargetResult

SURROUNDINGS = ("pins", "platform", "python")
"""The inputs that an environment makes up; all others are this project's own files."""


def merged(before: TargetResult | None, ours: TargetResult, known: Collection[str]) -> TargetResult:
    """Return what was just run together with all else that the evidence holds.

    A cell that was not run now stays: it is current, or its digest tells that it is stale. So does one of which this
    run saw only an infrastructure error.

    Args:
        before: the evidence there is.
        known: the probes that there are; the cells of others are left out.
    """
    stays: dict[str, Observation] = {}
    if before is not None and before.fault is None:
        lost = {cell.probe for cell in ours.cells if cell.kind is Kind.INFRASTRUCTURE}
        run = {cell.probe for cell in ours.cells} - lost
        stays = {cell.probe: cell for cell in before.cells if cell.probe not in run}
    return _with(ours, stays, before, known)


def filled(before: TargetResult, ours: TargetResult, known: Collection[str]) -> TargetResult:
    """Return evidence that is newer than ours with those of our cells that it lacks.

    A cell of it that an older state of this project's files made counts as lacking.
    """
    if before.fault is not None:
        return before
    has = {cell.probe: _code(cell) for cell in before.cells}
    adds = {cell.probe: cell for cell in ours.cells if has.get(cell.probe) != _code(cell)}
    return _with(before, adds, ours, known)


def _code(cell: Observation) -> dict[str, str]:
    return {name: value for name, value in cell.inputs.items() if name not in SURROUNDINGS}


def _with(
    base: TargetResult, more: dict[str, Observation], source: TargetResult | None, known: Collection[str]
) -> TargetResult:
    """Return ``base`` with the cells ``more`` of another result in the place of its own."""
    cells = {cell.probe: cell for cell in base.cells} | more
    measured = dict(base.run.cells)
    for name in more:
        measured.pop(name, None)
        if source is not None and name in source.run.cells:
            measured[name] = source.run.cells[name]
    kept = {name: each for name, each in measured.items() if name in known or name in (CONTROL_PASS, CONTROL_FAIL)}
    return msgspec.structs.replace(
        base,
        cells=tuple(cells[name] for name in sorted(cells) if name in known),
        run=msgspec.structs.replace(base.run, cells=kept),
    )
