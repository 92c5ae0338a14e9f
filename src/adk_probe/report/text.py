"""What a terminal shows after a run: the matrix, the mechanisms, and how to see each surprise again; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tabulate import tabulate

from adk_probe.evidence.reasons import few
from adk_probe.model import Verdict
from adk_probe.report.columns import Column
from adk_probe.report.escape import one_line
from adk_probe.report.findings import Finding, drift, findings, untried
from adk_probe.report.view import MEANINGS, SIGNS, Look, Mark, Ruling, Sheet, View, look, rulings

MESSAGE = 180
GAP = 2


def render(view: View, width: int = 120) -> str:
    """Return the report for a terminal of ``width`` characters; the tables are split to fit it."""
    parts = [part for sheet in view.sheets for part in _sheet(view, sheet, width)]
    notes = [f"no evidence: {one_line(note)}" for note in view.judgement.notes]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])]) + "\n"


def _sheet(view: View, sheet: Sheet, width: int) -> Iterator[str]:
    yield f"{sheet.engine}: {_counts(view, sheet)}"
    yield from _tables(sheet, width)
    yield _legend(sheet)
    if sheet.mechanisms:
        yield "\n".join(_mechanisms(sheet))
    if lines := _asides(view, sheet):
        yield "\n".join(lines)
    if found := findings(view, sheet):
        yield "\n".join(_findings(found))


def _counts(view: View, sheet: Sheet) -> str:
    cells = [cell for cell in view.judgement.cells if cell.target.engine == sheet.engine]
    found = Counter(look(cell) for cell in cells)
    parts = [f"{found[each]} {each}" for each in Look if found[each]]
    stale = sum(bool(cell.changed) for cell in cells)
    words = f"{_many(len(sheet.targets), 'target')}, {_many(len(cells), 'cell')}: {', '.join(parts) or 'no evidence'}"
    return f"{words}; {stale} stale" if stale else words


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _tables(sheet: Sheet, width: int) -> Iterator[str]:
    tallies = sheet.fidelity(by_graph=False)
    names = [*(row.probe for row in sheet.claims), *(f"fidelity: {tally.name}" for tally in tallies)]
    left = max([len("release"), *map(len, names)])
    marks = [
        [*(_mark(row.marks[number]) for row in sheet.claims), *(tally.words[number] for tally in tallies)]
        for number in range(len(sheet.columns))
    ]
    for first, last in _split(sheet.columns, marks, width - left):
        head = ["release\nPython\nlane", *(_head(column) for column in sheet.columns[first:last])]
        rows = [[name, *(column[line] for column in marks[first:last])] for line, name in enumerate(names)]
        yield tabulate(rows, headers=head, tablefmt="simple", disable_numparse=True)


def _split(columns: Sequence[Column], marks: list[list[str]], room: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the columns of each table, at least one a table."""
    first, left = 0, room
    for number, (column, marked) in enumerate(zip(columns, marks, strict=True)):
        wide = GAP + max(map(len, (*_head(column).split("\n"), *marked)))
        if wide > left and number > first:
            yield first, number
            first, left = number, room
        left -= wide
    yield first, len(columns)


def _head(column: Column) -> str:
    return f"{column.releases}\n{column.pythons}\n{column.lane}"


def _mark(mark: Mark) -> str:
    return f"{mark.sign} {mark.word.removeprefix('error: ')}{'*' if mark.stale else ''}"


def _legend(sheet: Sheet) -> str:
    marks = [mark for row in sheet.rows for mark in row.marks]
    shown = {mark.look for mark in marks}
    lines = [f"{SIGNS[each]} {each}: {MEANINGS[each]}" for each in Look if each in shown and each is not Look.ERROR]
    if kinds := sorted({mark.word.removeprefix("error: ") for mark in marks if mark.look is Look.ERROR}):
        lines.append(f"{SIGNS[Look.ERROR]} {', '.join(kinds)}: an error of that kind kept it from an answer")
    if any(mark.stale for mark in marks):
        lines.append("* stale: something it depends on changed since; `adk-probe run` asks again")
    return "\n".join(lines)


def _mechanisms(sheet: Sheet) -> Iterator[str]:
    yield f"mechanisms of {sheet.engine}, the preferred one first"
    for row in sheet.mechanisms:
        yield f"  {row.name}: {one_line(row.sentence)}"
        for ruling in rulings(row):
            yield f"    {ruling.sign} {ruling.verdict:10} {sheet.scale.where(ruling.targets)}{_why(ruling)}"
            if ruling.verdict is Verdict.UNPROVEN and ruling.reasons:
                yield f"        {one_line(ruling.reasons[0], MESSAGE)}"


def _why(ruling: Ruling) -> str:
    like = f", as {ruling.like}" if ruling.like else ""
    why = like + (f"{', and' if like else ','} by {few(ruling.blamed)}" if ruling.blamed else "")
    return f"{why} (waived: {', '.join(ruling.waived)})" if ruling.waived else why


def _asides(view: View, sheet: Sheet) -> list[str]:
    drifted = [
        f"dependency drift, no fault of the release: {group.where}: works with the dependencies of its day; "
        f"with today's {group.word}: {one_line(group.message, MESSAGE)}"
        for group in drift(view, sheet)
    ]
    groups = untried(view, sheet)
    return drifted + [f"{group.word}: {group.where}: {one_line(group.message, MESSAGE)}" for group in groups]


def _findings(found: list[Finding]) -> Iterator[str]:
    yield "surprises, and the command that shows each again"
    for each in found:
        sign = SIGNS[Look.ERROR] if each.error else SIGNS[Look.FAIL]
        stale = " (stale)" if each.stale else ""
        yield f"  {sign} {each.probe or 'every probe'}{stale}: {one_line(each.message, MESSAGE)}"
        yield f"      {each.word if each.error else 'false'} on {each.where}"
        if each.holds:
            yield f"      true on {each.holds}"
        yield f"      $ {each.command}"
