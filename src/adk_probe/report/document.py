"""``reports/matrix.json``: the judgement as other programs read it; pure."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from adk_probe.evidence.cells import Cell
from adk_probe.evidence.judge import Judged, Judgement
from adk_probe.model import Kind, Lane, Outcome, Target, Verdict


class CellRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A target × a probe.

    Attributes:
        kind: what sort of error it is; there only where the outcome is ``error``.
        stale: there, and true, only where something the observation depends on has changed since.
        warnings: by which messages the engine deprecates what the probe used; there only where it does.
    """

    probe: str
    engine: str
    release: str
    python: str
    lane: Lane
    outcome: Outcome
    message: str
    facts: dict[str, Any]
    kind: Kind | msgspec.UnsetType = msgspec.UNSET
    stale: bool = False
    warnings: tuple[str, ...] = ()


class MechanismRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A target × a mechanism.

    Attributes:
        because: the probes that decided the verdict; all that it requires where it is allowed.
        waived: claims that are false and were waived; there only where there are any.
        feature: of which feature the verdict is; there only where it is not of the mechanism alone.
    """

    mechanism: str
    engine: str
    release: str
    python: str
    lane: Lane
    verdict: Verdict
    because: tuple[str, ...]
    waived: tuple[str, ...] = ()
    feature: str = ""


class MatrixDocument(msgspec.Struct, frozen=True):
    """All of ``reports/matrix.json``, and what ``adk-probe report --json`` prints.

    Attributes:
        drift: targets of today whose release still imports with the dependencies of its own day.
    """

    schema: Literal["adk-probe.matrix/1"]
    cells: tuple[CellRecord, ...]
    mechanisms: tuple[MechanismRecord, ...]
    drift: tuple[Target, ...]


def matrix_json(judgement: Judgement) -> MatrixDocument:
    """Return a judgement as a document: targets in order, then probes by name and mechanisms by preference."""
    place = {target: number for number, target in enumerate(judgement.targets)}
    cells = sorted(judgement.cells, key=lambda cell: (place[cell.target], cell.probe))
    # the sort is stable: within a target the order of preference stays
    mechanisms = sorted(judgement.mechanisms, key=lambda row: place[row.target])
    return MatrixDocument(
        schema="adk-probe.matrix/1",
        cells=tuple(_cell(cell) for cell in cells),
        mechanisms=tuple(_mechanism(row) for row in mechanisms),
        drift=tuple(sorted(judgement.drift, key=lambda target: place[target])),
    )


def _cell(cell: Cell) -> CellRecord:
    return CellRecord(
        probe=cell.probe,
        engine=cell.target.engine,
        release=cell.target.release,
        python=cell.target.python,
        lane=cell.target.lane,
        outcome=cell.outcome,
        message=cell.message,
        facts=cell.facts,
        kind=cell.kind or msgspec.UNSET,
        stale=bool(cell.changed),
        warnings=cell.deprecations,
    )


def _mechanism(row: Judged) -> MechanismRecord:
    return MechanismRecord(
        mechanism=row.mechanism,
        engine=row.target.engine,
        release=row.target.release,
        python=row.target.python,
        lane=row.target.lane,
        verdict=row.verdict,
        because=row.because,
        waived=row.waived,
        feature=row.feature,
    )
