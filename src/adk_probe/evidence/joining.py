"""Evidence of several machines → one set; what contradicts itself is refused; pure.

Joining is associative, commutative and idempotent, so that it does not matter in which order shards arrive, or whether
one arrives twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from adk_probe.errors import EvidenceError
from adk_probe.model import Measured, Observation, RunRecord, TargetResult

Results = Mapping[str, TargetResult]


def join(sets: Iterable[Results]) -> dict[str, TargetResult]:
    """Return the evidence of all sets, by target key.

    Raises:
        EvidenceError: two of them say different things of one cell, or of one target as a whole; ``faults`` names each.
    """
    joined: dict[str, TargetResult] = {}
    faults: dict[str, None] = {}
    for results in sets:
        for key, result in sorted(results.items()):
            if key not in joined:
                joined[key] = result
            elif found := _contradictions(joined[key], result):
                faults |= dict.fromkeys(f"{key}: {each}" for each in found)
            else:
                joined[key] = _both(joined[key], result)
    if faults:
        raise EvidenceError(
            f"the evidence contradicts itself in {len(faults)} place(s), and nothing was merged",
            "Run these again on one machine, from one commit: `adk-probe run --refresh`.",
            tuple(sorted(faults)),
        )
    return dict(sorted(joined.items()))


def _contradictions(one: TargetResult, other: TargetResult) -> list[str]:
    if one.environment != other.environment:
        return ["was made in two environments, of other pins or of another Python"]
    if one.fault != other.fault:
        return ["could be asked on one machine and not on the other"]
    if one.controls != other.controls:
        return ["its controls came out in two ways"]
    mine = {cell.probe: cell for cell in one.cells}
    return [
        f"{cell.probe}: {_differs(mine[cell.probe], cell)}"
        for cell in other.cells
        if cell.probe in mine and mine[cell.probe] != cell
    ]


def _differs(one: Observation, other: Observation) -> str:
    if one.inputs != other.inputs:
        return "was made from other files, so the two are not of one commit"
    return f"{one.outcome} ({one.message}) and {other.outcome} ({other.message})"


def _both(one: TargetResult, other: TargetResult) -> TargetResult:
    cells = {cell.probe: cell for cell in (*one.cells, *other.cells)}
    return msgspec.structs.replace(
        one,
        cells=tuple(cells[name] for name in sorted(cells)),
        resolved=max(one.resolved, other.resolved),
        run=_records(one.run, other.run),
        # no longer of either; it is sealed anew where it is written
        digest=one.digest if one.digest == other.digest else "",
    )


def _records(one: RunRecord, other: RunRecord) -> RunRecord:
    """Return the record of both: of each measure the one of the later run, by its bytes where they are of one time."""
    first, last = sorted((one, other), key=lambda record: (record.when, msgspec.json.encode(record)))
    cells: dict[str, Measured] = {**first.cells, **last.cells}
    return msgspec.structs.replace(last, cells=dict(sorted(cells.items())))
