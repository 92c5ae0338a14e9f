"""What ``adk-probe upgrade`` says of the symbols that probes use, by the wheels of both releases."""

from __future__ import annotations

import msgspec

from adk_probe.cli.api import change_lines, compared_api
from adk_probe.errors import ProbeError
from adk_probe.evidence.affected import Affected, affected
from adk_probe.evidence.api_changes import Kind
from adk_probe.project.folder import Project
from adk_probe.project.uses import uses
from adk_probe.report.escape import markdown, one_line

SHOWN = 10
"""Lines that are left of a screen for it."""
HEAD = "symbols that probes use"


class Cited(msgspec.Struct, frozen=True):
    """What changes of the symbols that probes use, the worst first; or why it could not be told."""

    changes: tuple[Affected, ...] = ()
    fault: str = ""


def cited(project: Project, engine: str, old: str, new: str) -> Cited:
    """Compare the symbols that the probes of an engine use; a wheel that cannot be had is no error here."""
    try:
        comparison = compared_api(project, engine, old, new)
    except ProbeError as error:
        return Cited(fault=error.message)
    used = uses(project.root, project.config.engines[engine], project.catalog.probes[engine].values())
    return Cited(tuple(affected(comparison, used)))


def cited_text(found: Cited, everything: bool) -> str:
    """Return it in words, under a heading of its own."""
    if not found.changes:
        return f"{HEAD}: {_nothing(found)}"
    shown = found.changes if everything else found.changes[:SHOWN]
    lines = change_lines([each.change for each in shown], [f" [{_probes(each.probes)}]" for each in shown])
    head = f"{HEAD}, by the wheels of both (`adk-probe api` has all symbols)"
    return "\n".join([head, *(f"  {line}" for line in lines), *_rest(found, len(shown), "--all")])


def cited_markdown(found: Cited, everything: bool) -> str:
    """Return it as Markdown, under a heading of its own."""
    if not found.changes:
        return f"### {HEAD}\n\n{markdown(_nothing(found))}"
    shown = found.changes if everything else found.changes[:SHOWN]
    lines = [f"### {HEAD}", "", "| symbol | what | how | probes |", "| --- | --- | --- | --- |"]
    for each in shown:
        change = each.change
        detail = f"now {change.detail}" if change.kind is Kind.MOVED else change.detail
        cells = (change.symbol, str(change.kind), one_line(detail, 120), _probes(each.probes))
        lines.append(f"| {' | '.join(markdown(cell) for cell in cells)} |")
    return "\n".join([*lines, "", *_rest(found, len(shown), "`--all`")]).rstrip()


def _nothing(found: Cited) -> str:
    return f"not compared, since {found.fault}" if found.fault else "all are there as before, by the wheels of both"


def _rest(found: Cited, shown: int, option: str) -> list[str]:
    rest = len(found.changes) - shown
    return [f"and {rest} more: {option} shows them"] if rest else []


def _probes(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:2])
    return f"{shown} and {len(names) - 2} more probes" if len(names) > 2 else shown
