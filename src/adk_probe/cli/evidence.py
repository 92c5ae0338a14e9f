"""``adk-probe evidence``: Markdown about one claim, to paste into an issue or a decision record."""

from __future__ import annotations

from typing import Any

import click

from adk_probe.cli.shared import GOOD, Context, check_release, choice_of, noted, options, put
from adk_probe.errors import InputError
from adk_probe.evidence import store
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.judging import judge_project
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice
from adk_probe.report.evidence import render, subject
from adk_probe.report.view import project_view


@click.command()
@click.argument("probe")
@options("engine", "python", "lane")
@click.option("--release", required=True, help="A version, or `newest`.")
@click.option("--against", help="Another version to compare with.")
@click.option("--format", "form", type=click.Choice(["issue", "adr"]), default="issue")
@options("json")
@click.pass_obj
def evidence(context: Context, /, probe: str, against: str | None, form: str, as_json: bool, **options: Any) -> int:
    """Print Markdown to paste: the claim, what was seen, versions, pins and a script that reproduces it."""
    project = context.project()
    if probe.partition("+")[0] in project.config.mechanisms:
        raise InputError(
            f"{probe} is a mechanism, and this is about one claim",
            f"`adk-probe explain {probe}` names the claims that it hangs on.",
        )
    choice = choice_of(**{**options, "engine": project.engine_of(probe, options["engine"])})
    if against is not None:
        check_release("--against", against)
    text = _markdown(project, noted(judge_project(project, Choice(), None)), probe, choice, against, form)
    put({"probe": probe, "format": form, "markdown": text}, as_json, lambda: text.rstrip("\n"))
    return GOOD


def _markdown(
    project: Project, judgement: Judgement, probe: str, choice: Choice, against: str | None, form: str
) -> str:
    """Return Markdown about one claim, as an issue or a decision record; raises as ``subject`` does."""
    about = subject(
        project.root,
        project_view(project, judgement),
        store.load(project.root).results,
        probe,
        choice.release or "",
        against,
        project.config.pythons_in(choice.python) if choice.python else None,
        choice.lane,
        choice.engine,
    )
    return render(about, form)
