"""``adk-probe plan``: a run's targets in shards of about equal cost, for a matrix of CI."""

from __future__ import annotations

from typing import Any

import click

from adk_probe.cli.shared import GOOD, Context, choice_of, options, put
from adk_probe.evidence import sharding, timings

PLAN_SCHEMA = "adk-probe.plan/1"


@click.command()
@options("suite", "engine", "release", "python", "lane")
@click.option("--probe", "probes", multiple=True, help="Only this probe, or those of a pattern; may be repeated.")
@click.option("--shards", type=click.IntRange(1), default=1, show_default=True, help="In how many parts.")
@options("json")
@click.pass_obj
def plan(context: Context, /, shards: int, as_json: bool, **options: Any) -> int:
    """Show the targets of a run in shards of about equal cost; `adk-probe run --shard I/N` runs one of them.

    Costs are what targets took before, by reports/timings.json. Runs nothing.
    """
    project = context.project()
    planned = project.plan(choice_of(**options))
    expected = sharding.costs(planned, timings.load(project.root))
    parts = sharding.described(planned, expected, shards)
    told = {
        "schema": PLAN_SCHEMA,
        "include": [{"shard": part.option, "seconds": part.seconds, "targets": list(part.targets)} for part in parts],
    }
    put(told, as_json, lambda: "\n".join(_words(part) for part in parts))
    return GOOD


def _words(part: sharding.Shard) -> str:
    return "\n  ".join([f"{part.option}: {len(part.targets)} targets, about {part.seconds:.0f} s", *part.targets])
