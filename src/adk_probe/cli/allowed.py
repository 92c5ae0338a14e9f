"""``adk-probe allowed``: ask which mechanisms may be used for a range of releases and Pythons."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import click

from adk_probe import ranges
from adk_probe.cli.screen import reason_lines
from adk_probe.cli.shared import Context, check_release, noted, options, put
from adk_probe.evidence import allowed as answers
from adk_probe.evidence.allowed import Allowed
from adk_probe.evidence.judging import judge_project, today
from adk_probe.model import Lane
from adk_probe.project.plan import Choice
from adk_probe.ranges import Scale
from adk_probe.report.view import VERDICT_SIGNS


@click.command()
@options("engine", "json", "max-age")
@click.option("--release", required=True, help="A version, a PEP 440 specifier, or `newest`.")
@click.option("--python", default=">=3", show_default=True, help="A Python, like 3.12, or a PEP 440 specifier.")
@click.option("--lane", type=click.Choice([str(lane) for lane in Lane]), default=str(Lane.TODAY), show_default=True)
@click.option("--mechanism", "mechanisms", multiple=True, help="Ask for this one; repeated, for all named.")
@click.option("--feature", "features", multiple=True, help="Ask for this feature, too; may be repeated.")
@click.option("--accept-untested", is_flag=True, help="Let what was tested stand for what was not.")
@click.pass_obj
def allowed(context: Context, /, as_json: bool, max_age: int | None, lane: str, **options: Any) -> int:
    """Say which mechanisms may be used for a range of releases and Pythons.

    Exit 0 if a mechanism of the engine is allowed; with --mechanism, if each of those named is. Exit 1 if
    evidence speaks against it, 3 if something of the range was not tested.
    """
    check_release("--release", options["release"])
    question = answers.Question(lane=Lane(lane), **options)
    project = context.project()
    judgement = noted(judge_project(project, Choice(), project.max_age(max_age)))
    answer = answers.ask(project, judgement, question, today())
    put(answer, as_json, lambda: allowed_text(answer, project.scale(answer.engine, judgement.targets)))
    return answers.exit_code(answer)


def allowed_text(answer: Allowed, scale: Scale) -> str:
    """Return which mechanisms may be used, the preferred one first, why not, and what the answer stands on."""
    asked = f", with {', '.join(answer.features)}" if answer.features else ""
    head = f"{answer.engine} {answer.release}, Python {answer.python}, {answer.lane}{asked}"
    lines = [f"{head}: {answer.verdict}", *_standing(answer, scale)]
    options = f"--engine {answer.engine} --release {shlex.quote(answer.release)} --lane {answer.lane}"
    for row in answer.mechanisms:
        lines.append(f"{VERDICT_SIGNS[row.verdict]} {row.verdict:10} {row.mechanism}: {row.sentence}")
        lines += reason_lines(row.reasons, f"adk-probe explain {row.mechanism} {options}")
    return "\n".join(lines)


def _standing(answer: Allowed, scale: Scale) -> Iterator[str]:
    """Yield what was tested and what was not, as of when, and how old the oldest evidence is."""
    if answer.tested:
        yield f"  tested: {scale.where(answer.tested)}"
    for each in answer.fidelity_elsewhere:
        yield f"  fidelity as seen on Python {', '.join(each.pythons)}: {scale.where(each.targets)}"
    if answer.untested:
        accepted = ", and accepted so (--accept-untested)" if answer.accept_untested else ""
        yield f"  not tested{accepted}: {scale.where(answer.untested)}"
        yield f"  this would test it: `{answer.command}`"
    required: dict[str, list[str]] = {}
    for version, pythons in answer.ruled_out.items():
        required.setdefault(pythons, []).append(version)
    for pythons, versions in required.items():
        yield f"  not for this Python: {ranges.words(versions, scale.releases)}, which requires Python {pythons}"
    if answer.until:
        when = f"the index named on {answer.asked}" if answer.asked else "the index named at an unknown time"
        yield f"  about the releases that {when}, up to {answer.until}; `adk-probe releases --update` asks again"
    if answer.oldest is not None:
        yield f"  oldest evidence: {answer.oldest.day}, {_days(answer.oldest.days)} ago ({answer.oldest.target.label})"


def _days(days: int) -> str:
    return "1 day" if days == 1 else f"{days} days"
