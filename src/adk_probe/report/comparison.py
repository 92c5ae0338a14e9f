"""A comparison of engines in words: for a terminal, and as Markdown."""

from __future__ import annotations

from tabulate import tabulate

from adk_probe import ranges
from adk_probe.evidence.comparison import Comparison, Entry, Side
from adk_probe.report.escape import code, markdown, one_line


def render_text(document: Comparison) -> str:
    """Return the comparison for a terminal."""
    head = ["property", *(f"{side.title}\n{side.mechanism}\n{_pythons(side)}" for side in document.sides)]
    rows = [[row.property, *(entry.value for entry in row.entries)] for row in document.rows]
    table = tabulate(rows, headers=head, tablefmt="simple", disable_numparse=True)
    parts = [f"{document.graph}: the newest tested release of each engine, by the mechanism that is best there", table]
    parts += [f"{side.title}: {side.mechanism} ({side.sentence}) is {side.verdict}" for side in document.sides]
    for number, side in enumerate(document.sides):
        lines = [f"what backs the column of {side.title}"]
        for row in document.rows:
            lines.append(f"  {row.property}: {row.entries[number].value}")
            lines += [f"    {line}" for line in _backs(row.entries[number])]
        lines += [f"  {file}" for file in _all_files(document, number)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def render_markdown(document: Comparison) -> str:
    """Return the comparison as Markdown; every number of a note stands under the table."""
    notes: list[str] = []

    def cell(entry: Entry, number: int) -> str:
        if not entry.backs and not entry.files:
            return markdown(entry.value)
        lines = _backs(entry) or [f"{len(entry.files)} evidence file(s)"]
        links = ", ".join(
            f"[{python}]({file})" for file, python in zip(entry.files, _named(entry, number), strict=True)
        )
        notes.append(f"{'; '.join(markdown(line) for line in lines)} (evidence: {links})")
        return f"{markdown(entry.value)} [{len(notes)}](#note-{len(notes)})"

    def _named(entry: Entry, number: int) -> tuple[str, ...]:
        pythons = document.sides[number].pythons
        return pythons if len(pythons) == len(entry.files) else tuple(str(n) for n in range(1, len(entry.files) + 1))

    lines = [
        f"| property | {' | '.join(f'{markdown(side.title)}, {code(side.mechanism)}' for side in document.sides)} |"
    ]
    lines.append("| --- |" + " --- |" * len(document.sides))
    for row in document.rows:
        cells = [cell(entry, number) for number, entry in enumerate(row.entries)]
        lines.append(f"| {markdown(row.property)} | {' | '.join(cells)} |")
    sides = [
        f"- {markdown(side.title)} on Python {_pythons(side)}, {side.lane}: {code(side.mechanism)}"
        f" ({markdown(side.sentence)}) is {side.verdict}"
        for side in document.sides
    ]
    listed = [f'{number}. <a id="note-{number}"></a>{note}' for number, note in enumerate(notes, 1)]
    title = f"# {markdown(document.graph)}: engines compared"
    return "\n\n".join([title, "\n".join(lines), "\n".join(sides), "\n".join(listed)]) + "\n"


def _backs(entry: Entry) -> list[str]:
    """Return a line for each claim, with its outcomes and why it is not true."""
    lines = []
    for back in entry.backs:
        seen = ", ".join(f"{outcome} on {count}" for outcome, count in back.outcomes.items())
        why = f": {one_line(back.message, 120)}" if back.message and back.outcomes.keys() != {"pass"} else ""
        lines.append(f"{back.probe} ({seen}{', stale' if back.stale else ''}): {back.claim}{why}")
    return lines


def _all_files(document: Comparison, number: int) -> list[str]:
    return list(dict.fromkeys(file for row in document.rows for file in row.entries[number].files))


def _pythons(side: Side) -> str:
    known = [f"3.{minor}" for minor in range(9, 31)]
    return ranges.words(side.pythons, known)
