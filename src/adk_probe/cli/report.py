"""``adk-probe report``: judge the evidence and write the reports."""

from __future__ import annotations

import click

from adk_probe.cli.screen import matrix_text
from adk_probe.cli.shared import GOOD, INCOMPLETE, REFUSED, Context, compared, complained, options, put, say
from adk_probe.evidence.judging import judge_project
from adk_probe.project.plan import Choice
from adk_probe.report.document import matrix_json
from adk_probe.report.files import drifted_reports, write_reports


@click.command()
@options("suite", "json")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if reports/matrix.* are out of date.")
@click.option("--readme", is_flag=True, help="Put the excerpt of the matrix into README.md too.")
@click.pass_obj
def report(context: Context, /, suite: str | None, as_json: bool, check: bool, readme: bool) -> int:
    """Judge the evidence there is and write reports/matrix.json, .md, .html and junit.xml."""
    project = context.project()
    if check:
        judgement = compared(judge_project(project, Choice(suite=suite), None))
        drifted = drifted_reports(project, judgement, readme)
        for name in drifted:
            say(f"{name} is not what the evidence gives; `adk-probe report{' --readme' if readme else ''}` fixes it")
        return REFUSED if drifted else GOOD
    judgement, faults = write_reports(project, Choice(suite=suite), readme)
    faulty = complained(faults)
    put(matrix_json(judgement), as_json, lambda: matrix_text(project, judgement))
    compared(judgement)
    return faulty or (INCOMPLETE if judgement.notes else GOOD)
