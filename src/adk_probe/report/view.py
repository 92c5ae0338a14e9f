"""Judgement → one view model that every form of report is made from; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from adk_probe import ranges
from adk_probe.evidence.cells import Cell
from adk_probe.evidence.judge import Judged, Judgement
from adk_probe.model import Outcome, Target, Verdict
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config
from adk_probe.project.fidelity_cells import PREFIX
from adk_probe.project.folder import Project
from adk_probe.project.releases import Releases
from adk_probe.project.requirements import Requirement, requirements
from adk_probe.ranges import Scale
from adk_probe.report import commands
from adk_probe.report.columns import Column, collapse

Cells = Mapping[tuple[Target, str], Cell]


class Look(StrEnum):
    """How a cell is shown: an outcome, a pass that the engine deprecates, or nothing known."""

    PASS = "pass"
    DEPRECATED = "deprecated"
    FAIL = "fail"
    ABSENT = "absent"
    ERROR = "error"
    UNSUPPORTED = "unsupported"
    UNAVAILABLE = "unavailable"
    NOT_RUN = "not run"


# each sign stands beside its word, so that signs and colours are not needed to understand it
SIGNS = {
    Look.PASS: "✓",
    Look.DEPRECATED: "!",
    Look.FAIL: "✗",
    Look.ABSENT: "–",
    Look.ERROR: "‼",
    Look.UNSUPPORTED: "·",
    Look.UNAVAILABLE: "?",
    Look.NOT_RUN: "?",
}
LOOKS = {outcome: Look(outcome.value) for outcome in Outcome}
MEANINGS = {
    Look.PASS: "the claim is true here",
    Look.DEPRECATED: "the claim is true here, and the engine warns that what it needs is deprecated",
    Look.FAIL: "the claim is false here",
    Look.ABSENT: "the release does not have what the claim is about",
    Look.ERROR: "no answer: what went wrong is named",
    Look.UNSUPPORTED: "the release's own metadata rules this Python out; never tried",
    Look.UNAVAILABLE: "there was no such Python on the machine that ran the probes",
    Look.NOT_RUN: "no evidence",
}
VERDICT_SIGNS = {Verdict.ALLOWED: "✓", Verdict.DEPRECATED: "!", Verdict.UNPROVEN: "?", Verdict.DENIED: "✗"}
VERDICT_MEANINGS = {
    Verdict.ALLOWED: "every claim it needs is true, on fresh evidence",
    Verdict.DEPRECATED: "it works, and the engine warns that it will go",
    Verdict.UNPROVEN: "a claim it needs was not answered, or its evidence is stale",
    Verdict.DENIED: "the named claims are false, or the release does not have what they need",
}


class Mark(msgspec.Struct, frozen=True):
    """What one probe shows in one column; ``cells`` are its cells, none where it was never run."""

    look: Look
    word: str
    stale: bool
    cells: tuple[Cell, ...]

    @property
    def sign(self) -> str:
        """The sign that stands beside the word."""
        return SIGNS[self.look]


class Row(msgspec.Struct, frozen=True):
    """One probe over all columns."""

    probe: str
    claim: str
    marks: tuple[Mark, ...]

    @property
    def sound(self) -> bool:
        """Whether the claim is true, and not deprecated, wherever it applies and was asked."""
        fine = (Look.PASS, Look.ABSENT, Look.UNSUPPORTED, Look.UNAVAILABLE)
        return all(mark.look in fine and not mark.stale for mark in self.marks)


class Ruling(msgspec.Struct, frozen=True):
    """The verdict on one mechanism in one column, or over any targets that share it.

    Attributes:
        because: the claims that decided it; of a feature's row only those that the mechanism alone does not fail by.
        like: the mechanism that has the same verdict alone, where a feature's row has it for the same claims.
    """

    verdict: Verdict
    because: tuple[str, ...]
    waived: tuple[str, ...]
    reasons: tuple[str, ...]
    targets: tuple[Target, ...]
    like: str = ""

    @property
    def sign(self) -> str:
        """The sign that stands beside the verdict."""
        return VERDICT_SIGNS[self.verdict]

    @property
    def blamed(self) -> tuple[str, ...]:
        """The claims that a reader must look at; none where it is allowed."""
        return () if self.verdict is Verdict.ALLOWED else self.because


class MechanismRow(msgspec.Struct, frozen=True):
    """One mechanism over all columns."""

    name: str
    sentence: str
    rulings: tuple[Ruling, ...]


class Sheet(msgspec.Struct, frozen=True):
    """One engine: its probes and its mechanisms, each with columns of their own."""

    engine: str
    scale: Scale
    targets: tuple[Target, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    mechanism_columns: tuple[Column, ...]
    mechanisms: tuple[MechanismRow, ...]

    @property
    def claims(self) -> tuple[Row, ...]:
        """The rows of claims about the engine itself."""
        return tuple(row for row in self.rows if not row.probe.startswith(PREFIX))

    @property
    def telling(self) -> tuple[Row, ...]:
        """The rows to show one by one: all claims, and of the fidelity cells those that are not as they should be."""
        quiet = (Look.PASS, Look.DEPRECATED, Look.ABSENT)
        shown = (row for row in self.rows if any(mark.look not in quiet or mark.stale for mark in row.marks))
        kept = {row.probe for row in (*self.claims, *shown)}
        return tuple(row for row in self.rows if row.probe in kept)

    def fidelity(self, by_graph: bool) -> tuple[Tally, ...]:
        """Return how many fidelity cells pass, a row a mechanism, or a graph and mechanism."""
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            if row.probe.startswith(PREFIX):
                _, graph, mechanism, *_rest = row.probe.split("/")
                groups.setdefault(f"{graph} by {mechanism}" if by_graph else mechanism, []).append(row)
        return tuple(Tally(name, tuple(_tally(marks) for marks in _columns(rows))) for name, rows in groups.items())


class Tally(msgspec.Struct, frozen=True):
    """Fidelity cells of one kind over all columns, each in words like ``✓ 14`` or ``✗ 12 of 14``."""

    name: str
    words: tuple[str, ...]


def _columns(rows: list[Row]) -> Iterable[tuple[Mark, ...]]:
    return zip(*(row.marks for row in rows), strict=True)


def _tally(marks: tuple[Mark, ...]) -> str:
    asked = [mark for mark in marks if mark.look is not Look.ABSENT]
    good = sum(mark.look in (Look.PASS, Look.DEPRECATED) for mark in asked)
    if not asked:
        return f"{SIGNS[Look.ABSENT]} {Look.ABSENT}"
    if good == len(asked):
        return f"{SIGNS[Look.PASS]} {good}"
    worst = next(mark for mark in asked if mark.look not in (Look.PASS, Look.DEPRECATED))
    return f"{worst.sign} {good} of {len(asked)}" if good else f"{worst.sign} {worst.word}"


class View(msgspec.Struct, frozen=True):
    """All there is to show, with what it was made from."""

    config: Config
    catalog: Catalog
    releases: Releases
    judgement: Judgement
    requirements: tuple[Requirement, ...]
    sheets: tuple[Sheet, ...]

    def command(self, target: Target, probe: str) -> str:
        """Return the command that makes one observation again by hand."""
        return commands.by_hand(self.config, self.catalog, self.releases, target, probe)


def build(config: Config, catalog: Catalog, releases: Releases, judgement: Judgement) -> View:
    """Return the view of a judgement; an engine without a target has no sheet."""
    cells = {(cell.target, cell.probe): cell for cell in judgement.cells}
    sheets = [
        _sheet(engine, config, catalog, releases, judgement, cells)
        for engine in sorted(config.engines)
        if any(target.engine == engine for target in judgement.targets)
    ]
    return View(config, catalog, releases, judgement, requirements(config, catalog), tuple(sheets))


def _sheet(
    engine: str, config: Config, catalog: Catalog, releases: Releases, judgement: Judgement, cells: Cells
) -> Sheet:
    targets = tuple(target for target in judgement.targets if target.engine == engine)
    probes = catalog.probes[engine]
    # no range of a report may span a version that was not tested
    scale = ranges.scale(config.pythons, releases.engines.get(engine, ()), targets)
    columns = collapse(targets, lambda target: _looks(target, probes, cells), scale)
    judged = {(row.target, row.name): row for row in judgement.mechanisms}
    names = [(each.name, each.sentence) for each in requirements(config, catalog) if each.engine == engine]
    ruled = collapse(targets, lambda target: tuple(_same(judged.get((target, name))) for name, _ in names), scale)
    return Sheet(
        engine=engine,
        scale=scale,
        targets=targets,
        columns=columns,
        rows=tuple(
            Row(name, probes[name].claim, tuple(_mark(column, name, cells) for column in columns))
            for name in sorted(probes)
        ),
        mechanism_columns=ruled,
        mechanisms=tuple(
            MechanismRow(name, sentence, tuple(_ruling(column.targets, name, judged) for column in ruled))
            for name, sentence in names
        ),
    )


def look(cell: Cell | None) -> Look:
    """Return how a cell is shown."""
    if cell is None:
        return Look.NOT_RUN
    if cell.outcome is Outcome.PASS and cell.deprecations:
        return Look.DEPRECATED
    return LOOKS[cell.outcome]


def word(cell: Cell | None) -> str:
    """Return how a cell is shown in words; an error with its kind."""
    return f"error: {cell.kind}" if cell is not None and cell.kind is not None else look(cell).value


def _looks(target: Target, probes: Iterable[str], cells: Cells) -> tuple[tuple[str, bool], ...]:
    found = (cells.get((target, probe)) for probe in probes)
    return tuple((word(cell), bool(cell and cell.changed)) for cell in found)


def _mark(column: Column, probe: str, cells: Cells) -> Mark:
    found = tuple(cells[target, probe] for target in column.targets if (target, probe) in cells)
    first = found[0] if found else None
    return Mark(look(first), word(first), bool(first and first.changed), found)


def _same(row: Judged | None) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    if row is None:
        return Verdict.UNPROVEN, (), ()
    return row.verdict, row.because, row.waived


def _ruling(targets: tuple[Target, ...], name: str, judged: Mapping[tuple[Target, str], Judged]) -> Ruling:
    row = judged.get((targets[0], name))
    reasons = row.reasons if row is not None else ()
    verdict, because, waived = _same(row)
    alone, _, feature = name.partition("+")
    base = judged.get((targets[0], alone)) if feature else None
    if base is None or base.verdict != verdict or verdict == Verdict.ALLOWED:
        return Ruling(Verdict(verdict), because, waived, reasons, targets)
    own = tuple(claim for claim in because if claim not in base.because)
    return Ruling(Verdict(verdict), own, waived, reasons, targets, alone)


def rulings(mechanism: MechanismRow) -> list[Ruling]:
    """Return a mechanism's verdicts, each once with all targets it holds for, in order of the columns."""
    found: dict[tuple[str, tuple[str, ...], tuple[str, ...], str], list[Ruling]] = {}
    for ruling in mechanism.rulings:
        found.setdefault((ruling.verdict, ruling.because, ruling.waived, ruling.like), []).append(ruling)
    return [
        msgspec.structs.replace(group[0], targets=tuple(target for ruling in group for target in ruling.targets))
        for group in found.values()
    ]


def project_view(project: Project, judgement: Judgement) -> View:
    """Return the view model of a judgement of a project's evidence."""
    return build(project.config, project.catalog, project.releases, judgement)
