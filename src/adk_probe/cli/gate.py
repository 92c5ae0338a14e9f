"""``adk-probe gate``: compare the evidence with the accepted verdicts, or accept what it shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click
import msgspec

from adk_probe.cli.shared import GOOD, INCOMPLETE, REFUSED, Context, compared, options, put
from adk_probe.errors import InputError
from adk_probe.evidence import gate as gates
from adk_probe.evidence import lock as lock_file
from adk_probe.evidence.gate import Change
from adk_probe.evidence.judging import judge_project
from adk_probe.project.plan import Choice

GATE_SCHEMA = "adk-probe.gate-changes/1"
ACCEPTED_SCHEMA = "adk-probe.gate/1"


@click.command()
@options("suite", "json", "max-age")
@click.option("--update", is_flag=True, help="Accept what the evidence shows.")
@click.option("--reason", default="", help="Why it is right to accept it.")
@click.pass_obj
def gate(context: Context, /, suite: str | None, as_json: bool, max_age: int | None, update: bool, reason: str) -> int:
    """Compare the evidence with the accepted verdicts in reports/gate.lock.json.

    Exit 1 when a verdict regressed, got fixed, is new, missing or stale; 3 when this machine could not ask.
    """
    project = context.project()
    judgement = judge_project(project, Choice(suite=suite), project.max_age(max_age))
    path = project.root / lock_file.FILE
    lock = lock_file.load(path)
    if update:
        accepted = gates.accept(path, judgement, lock, reason)
        told = {"schema": ACCEPTED_SCHEMA, **msgspec.to_builtins(accepted)}
        put(told, as_json, lambda: f"accepted: {accepted.reason}")
        return GOOD
    if reason:
        raise InputError("--reason goes with --update", "Add --update to accept the verdicts, or leave --reason out.")
    changes = gates.compare(judgement, lock)
    put(gate_document(changes), as_json, lambda: gate_text(changes))
    compared(judgement)
    if any(change.what != "unknown" for change in changes):
        return REFUSED
    return INCOMPLETE if changes or judgement.notes else GOOD


def gate_document(changes: list[Change]) -> dict[str, Any]:
    """Return what the gate found."""
    return {"schema": GATE_SCHEMA, "changes": changes}


def gate_text(changes: list[Change]) -> str:
    """Return what the gate found, in words, and what to do about it."""
    if not changes:
        return "the evidence is what was accepted"
    counts: dict[str, int] = {}
    for change in changes:
        counts[change.what] = counts.get(change.what, 0) + 1
    gone = _gone(changes)
    lines = [f"missing   every cell on {target}: {count} accepted → no evidence" for target, count in gone.items()]
    lines += [str(change) for change in changes if change.what != "unknown" and change.target not in gone]
    unknown = [change for change in changes if change.what == "unknown"]
    lines += [f"unknown   {target}: {now}" for target, now in dict.fromkeys((c.target, c.now) for c in unknown)]
    lines.append(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    if "stale" in counts or "missing" in counts:
        lines.append("`adk-probe run` makes the missing evidence.")
    if counts.keys() - {"stale", "missing", "unknown"}:
        lines.append('If it is right, accept it: `adk-probe gate --update --reason "…"`.')
    return "\n".join(lines)


def _gone(changes: Iterable[Change]) -> dict[str, int]:
    """Return the targets of which nothing is left, with how many cells were accepted of each."""
    found: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for change in changes:
        found.setdefault(change.target, set()).add(change.what)
        counts[change.target] = counts.get(change.target, 0) + 1
    return {target: counts[target] for target, what in found.items() if what == {"missing"} and counts[target] > 1}
