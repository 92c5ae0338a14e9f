"""Scenarios that were not played on a target but on another Python, with the same release and lane; pure.

A claim counts only on the Python on which it was asked. How a generated project behaves is played on one Python a
release (``fidelity-pythons`` in ``matrix.toml``), and what was seen there stands for the others. It never stands for
another release or lane.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from adk_probe.evidence.cells import Cell
from adk_probe.model import Outcome, Target

Cells = Mapping[str, Cell]


def scenarios_elsewhere(
    targets: Iterable[Target], cells: Mapping[str, Cells], believed: Container[str], scenarios: Container[str]
) -> dict[str, dict[str, Cell]]:
    """Return, by target key, the scenarios that count as they came out on another Python.

    Those are the scenarios of which the target has no fresh evidence of its own. Where several Pythons have it, the
    one that speaks against the mechanism counts.

    Args:
        cells: by target key, then by probe.
        believed: keys of the targets that were asked, and whose evidence is not in doubt.
        scenarios: ids of fidelity cells.
    """
    alike: dict[tuple[str, str, str], list[Target]] = {}
    for target in targets:
        alike.setdefault((target.engine, target.release, target.lane), []).append(target)
    fresh = {
        target.key: {name: cell for name, cell in cells[target.key].items() if name in scenarios and not cell.changed}
        for group in alike.values()
        if len(group) > 1
        for target in group
        if target.key in believed
    }
    return {
        target.key: _borrowed(cells[target.key], [fresh[other.key] for other in group if other.key in fresh])
        for group in alike.values()
        for target in group
    }


def _borrowed(own: Cells, others: Iterable[Cells]) -> dict[str, Cell]:
    found: dict[str, Cell] = {}
    for cells in others:
        for name, cell in cells.items():
            lacks = name not in own or bool(own[name].changed)
            if lacks and (name not in found or _against(cell) > _against(found[name])):
                found[name] = cell
    return found


def _against(cell: Cell) -> int:
    """How much a cell speaks against a mechanism."""
    if cell.outcome is Outcome.PASS:
        return 2 if cell.deprecations else 1
    return {Outcome.ABSENT: 0, Outcome.FAIL: 4}.get(cell.outcome, 3)
