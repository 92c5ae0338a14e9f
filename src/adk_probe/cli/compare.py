"""``adk-probe compare``: the engines side by side."""

from __future__ import annotations

import click

from adk_probe.cli.shared import GOOD, Context, noted, options, put
from adk_probe.evidence import comparison
from adk_probe.evidence.judging import judge_project
from adk_probe.project.plan import Choice
from adk_probe.report.comparison import render_text


@click.command()
@click.option("--graph", default="critic-loop", help="A graph of probes/graphs, by its file's name.")
@options("json")
@click.pass_obj
def compare(context: Context, /, graph: str, as_json: bool) -> int:
    """Compare the engines by the semantics' properties, each cell with the evidence behind it."""
    project = context.project()
    document = comparison.compare(project, noted(judge_project(project, Choice(), None)), graph)
    put(document, as_json, lambda: render_text(document).rstrip("\n"))
    return GOOD
