"""``adk-probe run``: make the environments, run the probes, keep the evidence, write the reports."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

import click
import msgspec
from rich.console import Console

from adk_probe.cli.progress import Shown
from adk_probe.cli.screen import matrix_text
from adk_probe.cli.shared import GOOD, INCOMPLETE, Context, choice_of, complained, noted, options, put, say, shard_of
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.judging import judge_project
from adk_probe.evidence.selection import narrowed, of_probes
from adk_probe.execution import schedule
from adk_probe.execution.schedule import Worklist
from adk_probe.execution.target import TargetOutcome
from adk_probe.generate import building
from adk_probe.machine.state import Local
from adk_probe.model import Outcome
from adk_probe.project.config import DEFAULT_SUITE
from adk_probe.project.fidelity_cells import graphs_of
from adk_probe.project.plan import Choice
from adk_probe.report import files
from adk_probe.report.document import matrix_json


@click.command()
@options("suite", "engine", "release", "python", "lane")
@click.option("--probe", "probes", multiple=True, help="Only this probe, or those of a pattern; may be repeated.")
@click.option("--shard", help="Only part I of N of the targets, as I/N.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Targets side by side.")
@click.option("--refresh", is_flag=True, help="Resolve, install and run everything again.")
@click.option(
    "--keep-envs/--remove-envs", default=None, help="Keep environments after use; by default what the suite says."
)
@click.option("--fetch/--no-fetch", default=True, help="Let uv fetch a Python that is missing.")
@click.option("--explain", is_flag=True, help="Say what would run and why; run nothing.")
@options("json")
@click.pass_obj
def run(context: Context, /, **options: Any) -> int:
    """Make the environments, run every probe in them and keep the evidence.

    Without --suite, --release looks at every release that reports/releases.json knows.
    """
    jobs, refresh, fetch, explain, as_json, keep = (
        options.pop(name) for name in ("jobs", "refresh", "fetch", "explain", "as_json", "keep_envs")
    )
    choice = choice_of(**{**options, "shard": shard_of(options["shard"])})
    project = context.project()
    planned = project.plan(choice)
    kept = project.config.suite(choice.suite or DEFAULT_SUITE).keep_envs if keep is None else keep
    local = Local(project.root)
    with local.lock():
        work = schedule.sort(project, planned, refresh, fetch and not explain)
        if explain:
            put(explained(work), as_json, lambda: explained_text(work))
            return GOOD
        schedule.refuse_impossible(work)
        building.ready(project.root, project.config, graphs_of(probe for todo in work.pending for probe in todo.why))
        with Shown(Console(stderr=True)) as shown:
            ended = schedule.execute(project, work, jobs, refresh, shown, keep_environments=kept)
        faulty = GOOD
        if work.pending or local.are_reports_due() or not files.complete(project):
            judgement, faults = files.write_reports(project, Choice())
            faulty = complained(faults)
            if not faults:
                local.reports_are_made()
        else:
            judgement = judge_project(project, Choice(), None)
    noted(judgement)
    # who narrows a run down wants to see what is known of that
    quiet = not (work.pending or as_json or any(options.values()))
    if not work.pending:
        say(unchanged_text(ended, shown=not quiet))
    targets = {item.target for item in planned}
    chosen = narrowed(judgement, targets)
    if choice.probes:
        project, chosen = of_probes(project, chosen, {probe.id for item in planned for probe in item.probes})
    if not quiet:
        document = run_document(chosen, ended) if as_json else None
        put(document, as_json, lambda: matrix_text(project, chosen))
    infrastructure_errors = any(each.state == "trouble" for each in ended)
    nothing = all(each.state in (Outcome.UNSUPPORTED, Outcome.UNAVAILABLE) for each in ended)
    return faulty or (INCOMPLETE if infrastructure_errors or nothing or judgement.notes else GOOD)


def explained(work: Worklist) -> dict[str, Any]:
    """Return what would run and why."""
    return {
        "schema": "adk-probe.explain-run/1",
        "targets": [{"target": todo.item.target, "why": todo.why} for todo in work.pending],
    }


def explained_text(work: Worklist) -> str:
    """Return what would run and why, in words: probes that share a reason together."""
    lines = []
    for todo in work.pending:
        lines.append(todo.item.target.label)
        reasons: dict[tuple[str, ...], list[str]] = {}
        for probe, why in sorted(todo.why.items()):
            reasons.setdefault(why, []).append(probe)
        for why, probes in reasons.items():
            named = "every probe" if len(probes) == len(todo.item.probes) else ", ".join(probes)
            lines.append(f"  {', '.join(why)}: {named}")
    return "\n".join(lines) or "nothing would run: nothing has changed"


def unchanged_text(outcomes: Iterable[TargetOutcome], shown: bool) -> str:
    """Return that a run had nothing to do, and what it could not do.

    Args:
        shown: whether the matrix follows; else the command that shows it is named.
    """
    untried = Counter(each.state for each in outcomes if each.state != "current")
    lines = ["nothing has changed: no target had to run again"]
    lines += [f"{count} target(s) {state}" for state, count in sorted(untried.items())]
    return "\n".join([*lines, *([] if shown else ["`adk-probe report` shows the matrix"])])


def run_document(judgement: Judgement, outcomes: Iterable[TargetOutcome]) -> dict[str, Any]:
    """Return the matrix of a run's targets, and under ``run`` how each ended."""
    built = msgspec.to_builtins(matrix_json(judgement))
    rows = [
        {"target": each.target.key, "state": each.state, "cells": each.cells, "message": each.message}
        for each in outcomes
    ]
    return {**built, "run": rows}
