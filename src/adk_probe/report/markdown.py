"""``reports/matrix.md``, and the short table for the README; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from adk_probe.errors import InputError
from adk_probe.model import Verdict
from adk_probe.report.columns import Column
from adk_probe.report.escape import code, fence, markdown, placeless
from adk_probe.report.findings import Finding, drift, findings, untried
from adk_probe.report.view import (
    MEANINGS,
    SIGNS,
    VERDICT_MEANINGS,
    VERDICT_SIGNS,
    Look,
    Mark,
    Ruling,
    Sheet,
    View,
)

BEGIN, END = "<!-- matrix:begin -->", "<!-- matrix:end -->"
MESSAGE = 600
NAMED = 8


def render(view: View) -> str:
    """Return the complete matrix as Markdown."""
    lines = [
        "# What holds on which release",
        "",
        "Made by `adk-probe run` from the evidence under `reports/results/`; do not edit. A range names tested",
        "releases only: a dash joins releases between which there is no other, a comma those with untested ones",
        "between. [How to read it](../docs/reading-the-matrix.md).",
        "",
    ]
    for sheet in view.sheets:
        lines += _sheet(view, sheet)
    if view.judgement.notes:
        lines += ["## Files that are no evidence", "", *(f"- {markdown(note)}" for note in view.judgement.notes), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _sheet(view: View, sheet: Sheet) -> Iterator[str]:
    yield from (f"## {markdown(sheet.engine)}", "", "### What was tested", "")
    yield from _tested(view, sheet)
    if sheet.mechanisms:
        yield from ("", "### Mechanisms", "")
        yield from (f"- {VERDICT_SIGNS[each]} **{each}**: {VERDICT_MEANINGS[each]}" for each in Verdict)
        yield ""
        yield from _mechanisms(sheet)
    yield from ("", "### Claims", "")
    shown = {mark.look for row in sheet.rows for mark in row.marks}
    yield from (f"- {SIGNS[each]} **{each}**: {MEANINGS[each]}" for each in Look if each in shown)
    if any(mark.stale for row in sheet.rows for mark in row.marks):
        yield "- **stale**: something the observation depends on has changed since; it counts as no evidence"
    yield ""
    yield from _claims(sheet)
    yield from _fidelity(sheet)
    yield from _findings(findings(view, sheet))
    yield ""


def _tested(view: View, sheet: Sheet) -> Iterator[str]:
    yield f"{len(sheet.targets)} targets: {sheet.scale.where(sheet.targets)}."
    for group in drift(view, sheet):
        yield ""
        yield (
            f"**Dependency drift**, no fault of the release: {group.where}. It works with the dependencies of its own "
            f"day; with those of today: {group.word}: {markdown(placeless(group.message), MESSAGE)}"
        )
    if groups := untried(view, sheet):
        yield ""
        yield from (f"- {group.word}: {group.where}: {markdown(placeless(group.message), MESSAGE)}" for group in groups)


def _table(first: str, columns: Iterable[Column], rows: Iterable[list[str]]) -> Iterator[str]:
    heads = [f"{column.releases}<br>Python {column.pythons}<br>{column.lane}" for column in columns]
    yield f"| {' | '.join([first, *heads])} |"
    yield f"|{' --- |' * (len(heads) + 1)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _mechanisms(sheet: Sheet) -> Iterator[str]:
    rows = (
        [f"{code(row.name)}<br>{markdown(row.sentence)}", *(_ruling(ruling) for ruling in row.rulings)]
        for row in sheet.mechanisms
    )
    return _table("mechanism", sheet.mechanism_columns, rows)


def _ruling(ruling: Ruling) -> str:
    shown = [code(claim) for claim in ruling.blamed[:NAMED]]
    rest = len(ruling.blamed) - len(shown)
    like = f" as {code(ruling.like)}" if ruling.like else ""
    why = like + (f": {', '.join(shown)}{f' and {rest} more' if rest else ''}" if shown else "")
    waived = f" (waived: {', '.join(map(code, ruling.waived))})" if ruling.waived else ""
    return f"{ruling.sign} **{ruling.verdict}**{why}{waived}"


def _claims(sheet: Sheet) -> Iterator[str]:
    rows = (
        [f"{code(row.probe)}<br>{markdown(row.claim)}", *(_mark(row.probe, mark) for mark in row.marks)]
        for row in sheet.claims
    )
    return _table("claim", sheet.columns, rows)


def _fidelity(sheet: Sheet) -> Iterator[str]:
    """How many scenarios each generated project plays as the reference says; those that differ are findings."""
    if not (tallies := sheet.fidelity(by_graph=True)):
        return
    yield from (
        "",
        "### Fidelity",
        "",
        "Scenarios of each generated project that end as the reference semantics say.",
        "",
    )
    yield from _table("project", sheet.columns, ([code(tally.name), *tally.words] for tally in tallies))


def _mark(probe: str, mark: Mark) -> str:
    words = f"{mark.sign} {mark.word}{', stale' if mark.stale else ''}"
    return f"[{words}](#{anchor(probe)})" if mark.look is Look.FAIL else words


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _findings(found: list[Finding]) -> Iterator[str]:
    if not found:
        return
    yield from ("", "### Findings", "", "What is false or gave no answer, and the command that shows it again.")
    for probe, group in groupby(sorted(found, key=lambda each: each.probe), key=lambda each: each.probe):
        every = list(group)
        yield from ("", f"#### {markdown(probe) if probe else 'Whole targets'}")
        if probe:
            yield from ("", f"Claim: {markdown(every[0].claim)}.")
        if every[0].holds:
            yield from ("", f"True on {every[0].holds}.")
        for each in every:
            word = each.word if each.error else "False"
            yield from (
                "",
                f"{word} on {each.where}{' (stale)' if each.stale else ''}:",
                "",
                fence(placeless(each.message)),
            )
            yield from ("", fence(each.command, "sh"))


def excerpt(view: View) -> str:
    """Return where each mechanism may be used as a short table for the README."""
    of_graphs = {name for name, feature in view.config.features.items() if feature.of == "graph"}
    lines = [f"| mechanism | {' | '.join(f'{VERDICT_SIGNS[each]} {each}' for each in Verdict)} |"]
    lines.append(f"|{' --- |' * (len(Verdict) + 1)}")
    lines.extend(
        f"| {code(row.name)} | {' | '.join(_places(sheet, row.rulings, each) for each in Verdict)} |"
        for sheet in view.sheets
        for row in sheet.mechanisms
        # of features, only those that a graph has by itself; what a host asks for is in the matrix
        if "+" not in row.name or row.name.partition("+")[2] in of_graphs
    )
    return "\n".join([*lines, "", "Why, claim by claim: [reports/matrix.md](reports/matrix.md)."]) + "\n"


def _places(sheet: Sheet, ruled: Iterable[Ruling], verdict: Verdict) -> str:
    where = sheet.scale.where(target for ruling in ruled if ruling.verdict is verdict for target in ruling.targets)
    return "<br>".join(f"{markdown(sheet.engine)} {part}" for part in where.split("; ") if part)


def put_excerpt(readme: str, table: str) -> str:
    """Return a README with the table between its two markers; all else stays.

    Raises:
        InputError: the markers are not there once each and in order.
    """
    before, begin, rest = readme.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not begin or not end or readme.count(BEGIN) != 1 or readme.count(END) != 1:
        raise InputError("README.md: no place for the matrix", f"It needs the lines {BEGIN} and {END}, once each.")
    return f"{before}{begin}{table}{end}{after}"
