"""``adk-probe verify``: run cells of the evidence again and compare them with what was recorded."""

from __future__ import annotations

import os
from typing import Any

import click
import msgspec

from adk_probe.cli.shared import GOOD, INCOMPLETE, REFUSED, Context, choice_of, noted, options, put, say
from adk_probe.evidence.judging import judge_project
from adk_probe.execution import verification
from adk_probe.execution.verification import Verification
from adk_probe.generate import building
from adk_probe.project.fidelity_cells import graphs_of
from adk_probe.project.plan import Choice

SHOWN = 300


@click.command()
@options("suite", "engine", "release", "python", "lane")
@click.option("--probe", "probes", multiple=True, help="Only this probe, or those of a pattern; may be repeated.")
@click.option("--sample", type=click.IntRange(1), help="How many cells to draw; default: all that were chosen, or 20.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed draws the same cells.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Targets side by side.")
@options("json")
@click.pass_obj
def verify(context: Context, /, sample: int | None, seed: int, jobs: int, as_json: bool, **options: Any) -> int:
    """Run cells of the evidence again in fresh environments, with the recorded pins, and compare.

    Changes nothing. Exit 1 names what differs, 3 what could not be run here.
    """
    choice = choice_of(**options)
    project = context.project()
    planned = project.plan(choice) if any(options.values()) else None
    judgement = noted(judge_project(project, Choice(), None))
    probes = {probe.id for item in planned for probe in item.probes} if planned and choice.probes else None
    cells = verification.candidates(judgement, planned, probes)
    count = sample if sample is not None or planned else verification.SAMPLE
    chosen = verification.sample(cells, count, seed)
    building.ready(project.root, project.config, graphs_of(probe for names in chosen.values() for probe in names))
    made = verification.verify(
        project, chosen, jobs, lambda target, probe: say(f"{target.label}: {probe}") if not as_json else None
    )
    found = verification.checked(Verification(verification.VERIFY_SCHEMA, seed, len(cells), tuple(made)))
    put(found, as_json, lambda: verification_text(found))
    if found.differing:
        return REFUSED
    return INCOMPLETE if found.unknown else GOOD


def verification_text(verification: Verification) -> str:
    """Return in words what came of it: each difference, what could not be compared, and the count."""
    lines = []
    for cell in verification.differing:
        lines.append(f"differs: {cell.probe} on {cell.target.label}")
        for each in cell.differences:
            lines.append(f"    {each.what}: recorded {_shown(each.recorded)}")
            lines.append(f"    {' ' * len(each.what)}  seen     {_shown(each.seen)}")
    lines += [f"unknown: {cell.probe} on {cell.target.label}: {cell.unknown}" for cell in verification.unknown]
    same = len(verification.cells) - len(verification.differing) - len(verification.unknown)
    lines.append(
        f"{same} of {len(verification.cells)} cells came out as recorded, {len(verification.differing)} differ, "
        f"{len(verification.unknown)} could not be compared (drawn from {verification.among}, seed {verification.seed})"
    )
    return "\n".join(lines)


def _shown(value: Any) -> str:
    shown = msgspec.json.encode(value).decode()
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"
