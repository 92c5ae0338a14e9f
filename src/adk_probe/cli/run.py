"""``adk-probe run``: make the environments, run the probes, keep the evidence, write the reports."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import click
import msgspec

from adk_probe.cli.screen import matrix_text
from adk_probe.cli.shared import (
    GOOD,
    INCOMPLETE,
    REFUSED,
    Context,
    choice_of,
    complained,
    noted,
    options,
    put,
    say,
    shard_of,
)
from adk_probe.errors import ProbeError
from adk_probe.evidence import sharding, timings, unchanged
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.judging import judge_project
from adk_probe.evidence.selection import narrowed, of_probes
from adk_probe.execution import schedule
from adk_probe.execution.schedule import Worklist
from adk_probe.execution.target import TargetOutcome
from adk_probe.machine.state import Local
from adk_probe.model import Outcome, Target
from adk_probe.project.config import DEFAULT_SUITE
from adk_probe.project.fidelity_cells import graphs_of
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice, Planned
from adk_probe.report import files
from adk_probe.report.document import matrix_json
from adk_probe.report.view import VERDICT_SIGNS


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
@click.option("--new", is_flag=True, help="Only releases that nobody has tested; say what the newest one changes.")
@click.option("--explain", is_flag=True, help="Say what would run and why; run nothing.")
@options("json", "max-age")
@click.pass_obj
def run(context: Context, /, **options: Any) -> int:
    """Make the environments, run every probe in them and keep the evidence.

    Pins of the lane today stand for max-age days (`--max-age 0` asks the index on each new day), and what changed of
    them is run again. Without --suite, --release looks at every release that reports/releases.json knows.
    """
    jobs, refresh, fetch, explain, as_json, keep, new, max_age = (
        options.pop(name) for name in ("jobs", "refresh", "fetch", "explain", "as_json", "keep_envs", "new", "max_age")
    )
    shard = shard_of(options.pop("shard"))
    project = context.project()
    if new:
        # what reads wheels is slow to import, and only a run of new releases needs it
        from adk_probe.cli import newest

        options["suite"] = options["suite"] or newest.default_suite(project)
    choice = choice_of(**options)
    planned = newest.untested(project, project.plan(choice)) if new else project.plan(choice)
    if shard is not None:
        number, count = shard
        expected = sharding.costs(planned, timings.load(project.root))
        planned = sharding.shards(planned, expected, count)[number - 1]
    kept = project.config.suite(choice.suite or DEFAULT_SUITE).keep_envs if keep is None else keep
    local = Local(project.root)
    with local.lock():
        if new and not explain:
            planned = newest.changed_first(project, planned)
        work = schedule.sort(project, planned, refresh, fetch and not explain, max_age)
        if explain:
            put(explained(work), as_json, lambda: explained_text(work))
            return GOOD
        # a run that was narrowed down shows the matrix even if nothing had to run
        quiet = not (work.pending or as_json or new or any(options.values()))
        current = not (work.pending or local.are_reports_due()) and files.complete(project)
        if quiet and current and unchanged.in_order(project):
            outcomes = list(work.outcomes)
            say(unchanged_text(outcomes, shown=False))
            return _code(outcomes)
        outcomes = _executed(project, work, jobs, refresh, kept)
        judgement, code = _reported(project, local, current)
    if new:
        return _say_new(project, judgement, planned, as_json) or code or _code(outcomes)
    if not work.pending:
        say(unchanged_text(outcomes, shown=not quiet))
    if not quiet:
        _show(project, judgement, planned, bool(choice.probes), outcomes, as_json)
    return code or (INCOMPLETE if judgement.notes else _code(outcomes))


def _say_new(project: Project, judgement: Judgement, planned: Sequence[Planned], as_json: bool) -> int:
    """Say what the newest release changes; return 1 if that is a verdict on a mechanism."""
    from adk_probe.cli import newest

    found = newest.changes_of_newest(project, judgement, [item.target for item in planned if item.fault is None])
    put({"schema": "adk-probe.new/1", "changes": found}, as_json, lambda: newest.summary(found))
    return REFUSED if newest.turned(found) else GOOD


def _executed(
    project: Project, work: Worklist, jobs: int, refresh: bool, keep_environments: bool
) -> list[TargetOutcome]:
    """Run what is pending, and return how each target ended."""
    # a run that has nothing to do needs none of these, and they take a third of its time
    from rich.console import Console

    from adk_probe.cli.progress import Shown
    from adk_probe.generate import building

    schedule.refuse_impossible(work)
    building.ready(project.root, project.config, graphs_of(probe for todo in work.pending for probe in todo.why))
    first = schedule.newest(each.item.target for each in work.pending)
    with Shown(Console(stderr=True), _verdicts_of(project, first)) as shown:
        return schedule.execute(project, work, jobs, refresh, shown, keep_environments=keep_environments)


def _verdicts_of(project: Project, targets: Container[Target]) -> Callable[[Target], str]:
    """Return what says in a line the verdicts on a target, by the evidence as it is then; nothing on other targets."""

    def verdicts(target: Target) -> str:
        if target not in targets:
            return ""
        try:
            judged = judge_project(project, Choice(), None).mechanisms
        except ProbeError:
            # the end of the run says what is wrong
            return ""
        rows = [row for row in judged if row.target == target and not row.feature]
        return ", ".join(f"{VERDICT_SIGNS[row.verdict]} {row.mechanism} {row.verdict}" for row in rows)

    return verdicts


def _reported(project: Project, local: Local, current: bool) -> tuple[Judgement, int]:
    """Judge all evidence and write the reports unless they are current; return an exit code for those that failed."""
    if current:
        judgement = judge_project(project, Choice(), None)
        unchanged.remember(project, judgement)
        return noted(judgement), GOOD
    judgement, faults = files.write_reports(project, Choice())
    noted(judgement)
    if not faults:
        local.reports_are_made()
        unchanged.remember(project, judgement)
    return judgement, complained(faults)


def _show(
    project: Project,
    judgement: Judgement,
    planned: Sequence[Planned],
    some_probes: bool,
    outcomes: Sequence[TargetOutcome],
    as_json: bool,
) -> None:
    """Print the part of the matrix that the run was about."""
    chosen = narrowed(judgement, {item.target for item in planned})
    if some_probes:
        project, chosen = of_probes(project, chosen, {probe.id for item in planned for probe in item.probes})
    document = run_document(chosen, outcomes) if as_json else None
    put(document, as_json, lambda: matrix_text(project, chosen))


def _code(outcomes: Sequence[TargetOutcome]) -> int:
    """Return what a run ends with: incomplete if infrastructure failed, or if there was nothing to run here."""
    failed = any(each.state == "trouble" for each in outcomes)
    nothing = all(each.state in (Outcome.UNSUPPORTED, Outcome.UNAVAILABLE) for each in outcomes)
    return INCOMPLETE if failed or nothing else GOOD


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
