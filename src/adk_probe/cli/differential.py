"""``adk-probe differential``: compare random graphs on a real engine with the reference."""

from __future__ import annotations

from typing import Any

import click

from adk_probe import differential as random_graphs
from adk_probe.cli.shared import GOOD, REFUSED, Context, options, put, say


@click.command()
@click.option("--examples", type=click.IntRange(1), default=100, help="How many random graphs to draw.")
@click.option("--seed", type=int, default=0, help="The same seed draws the same examples.")
@click.option("--engine", default="google-adk", help="An engine of matrix.toml.")
@click.option("--release", default="newest", help="A version, or `newest`.")
@click.option("--python", default="", help="A Python, like 3.12; by default one that is there.")
@click.option("--mechanism", "mechanisms", multiple=True, help="Only this mechanism; may be repeated.")
@options("json")
@click.pass_obj
def differential(context: Context, /, examples: int, seed: int, as_json: bool, **choice: Any) -> int:
    """Draw random graphs and scenarios, run them by every mechanism, and compare with the reference.

    What leaves the reference is shrunk and saved under differential-failures/. Exit 1 if anything did.
    """
    root = context.folder()
    python = random_graphs.environment(root, choice["release"], engine=choice["engine"], python=choice["python"])

    def tick(count: int) -> None:
        if count % 25 == 0:
            say(f"{count} examples")

    mechanisms = choice["mechanisms"]
    report = random_graphs.run(
        python, examples, root=root, seed=seed, mechanisms=mechanisms, engine=choice["engine"], tick=tick
    )
    document = {"schema": "adk-probe.differential/1", "failures": len(report.failures), "lines": list(report.lines)}
    put(document, as_json, lambda: "\n".join(report.lines))
    return REFUSED if report.failures else GOOD
