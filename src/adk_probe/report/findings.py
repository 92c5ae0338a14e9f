"""What a reader of a matrix would not have expected, put together and in words; pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from adk_probe.evidence.cells import Cell
from adk_probe.model import Outcome, Target
from adk_probe.report.view import Look, Sheet, View, look, word


class Finding(msgspec.Struct, frozen=True):
    """A claim that is false, or gives no answer, in the same words on one or more targets.

    Attributes:
        probe: the probe; empty where a whole target could not be asked and every probe shares that.
        where: the targets in words.
        holds: where the same claim is true, in words; empty where it is nowhere.
        command: makes it again on one of the targets, the newest release of them.
    """

    probe: str
    claim: str
    word: str
    message: str
    targets: tuple[Target, ...]
    where: str
    holds: str
    stale: bool
    command: str

    @property
    def error(self) -> bool:
        """Whether there is no answer, rather than a clear no."""
        return self.word != Look.FAIL


class Group(msgspec.Struct, frozen=True):
    """Targets for which the same is reported."""

    word: str
    message: str
    targets: tuple[Target, ...]
    where: str


def findings(view: View, sheet: Sheet) -> list[Finding]:
    """Return what is false or gave no answer: complete targets first, then errors, splits, and what holds nowhere."""
    whole = _whole(view, sheet)
    seen: dict[tuple[str, str, str], list[Cell]] = {}
    holding: dict[str, list[Target]] = {}
    for cell in _cells(view, sheet):
        if cell.outcome is Outcome.PASS:
            holding.setdefault(cell.probe, []).append(cell.target)
        elif cell.outcome in (Outcome.FAIL, Outcome.ERROR):
            probe = "" if cell.target in whole else cell.probe
            seen.setdefault((probe, word(cell), cell.message), []).append(cell)
    drifted = set(view.judgement.drift)
    found = [
        _finding(view, sheet, probe, cells, holding.get(probe, []))
        for (probe, _, _), cells in seen.items()
        if not all(cell.target in drifted for cell in cells)
    ]
    return sorted(found, key=lambda each: (each.probe != "", not each.error, not each.holds, each.probe))


def _cells(view: View, sheet: Sheet) -> Iterable[Cell]:
    return (cell for cell in view.judgement.cells if cell.target.engine == sheet.engine)


def _whole(view: View, sheet: Sheet) -> set[Target]:
    """Return the targets of which every cell has one and the same error."""
    said: dict[Target, set[tuple[str, str]]] = {}
    for cell in _cells(view, sheet):
        said.setdefault(cell.target, set()).add((word(cell), cell.message))
    errors = {cell.target for cell in _cells(view, sheet) if cell.outcome is Outcome.ERROR}
    return {target for target in errors if len(said[target]) == 1 and len(sheet.rows) > 1}


def _finding(view: View, sheet: Sheet, probe: str, cells: list[Cell], holding: list[Target]) -> Finding:
    targets = tuple(dict.fromkeys(cell.target for cell in cells))
    newest = [target for target in targets if target.release == targets[-1].release]
    shown = probe or ("import" if "import" in view.catalog.probes[sheet.engine] else cells[0].probe)
    return Finding(
        probe=probe,
        claim=view.catalog.probes[sheet.engine][probe].claim if probe else "",
        word=word(cells[0]),
        message=cells[0].message,
        targets=targets,
        where=sheet.scale.where(targets),
        holds=sheet.scale.where(holding),
        stale=any(cell.changed for cell in cells),
        command=view.command(newest[0], shown),
    )


def untried(view: View, sheet: Sheet) -> list[Group]:
    """Return the targets that were never made, and why: ruled out, no such Python here, or simply never run."""
    found: dict[tuple[str, str], list[Target]] = {}
    for cell in _cells(view, sheet):
        if look(cell) in (Look.UNSUPPORTED, Look.UNAVAILABLE):
            found.setdefault((word(cell), cell.message), []).append(cell.target)
    for target in view.judgement.missing:
        if target.engine == sheet.engine:
            found.setdefault((word(None), "adk-probe run would make it"), []).append(target)
    return _groups(sheet, found)


def drift(view: View, sheet: Sheet) -> list[Group]:
    """Return the releases that work as they were released and no longer do with today's dependencies."""
    found: dict[tuple[str, str], list[Target]] = {}
    drifted = set(view.judgement.drift)
    for cell in _cells(view, sheet):
        if cell.target in drifted:
            found.setdefault((word(cell), cell.message), []).append(cell.target)
    return _groups(sheet, found)


def _groups(sheet: Sheet, found: dict[tuple[str, str], list[Target]]) -> list[Group]:
    return [
        Group(what, message, tuple(dict.fromkeys(targets)), sheet.scale.where(targets))
        for (what, message), targets in found.items()
    ]
