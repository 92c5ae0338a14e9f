"""``adk-probe changes``: what changed on which release, from the whole history."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from adk_probe.cli.shared import GOOD, Context, noted, options, put
from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence.judging import judge_project
from adk_probe.evidence.turns import Consequence, Turn, between, line
from adk_probe.files import write_atomic
from adk_probe.model import Lane, Target
from adk_probe.project.plan import Choice
from adk_probe.report.escape import markdown

CHANGES_SCHEMA = "adk-probe.changes/1"
WORDS = {
    Consequence.BREAKS: "no longer",
    Consequence.DEPRECATED: "deprecated",
    Consequence.DIFFERS: "otherwise",
    Consequence.DOUBT: "in doubt",
    Consequence.WORKS: "now",
}


class ReleaseChanges(msgspec.Struct, frozen=True):
    """What turned on a release against the tested one before it.

    Attributes:
        untested: known releases between the two, on one of which it may have turned.
    """

    release: str
    before: str
    untested: tuple[str, ...]
    turns: tuple[Turn, ...]


class Changes(msgspec.Struct, frozen=True):
    """The history of one engine on one Python in one lane, the newest release first."""

    schema: str
    engine: str
    python: str
    lane: Lane
    releases: tuple[ReleaseChanges, ...]


@click.command()
@options("engine", "json")
@click.option("--python", default="3.12", show_default=True, help="A Python, like 3.12.")
@click.option("--lane", type=click.Choice([str(lane) for lane in Lane]), default=str(Lane.TODAY), show_default=True)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the page to this file.")
@click.pass_obj
def changes(context: Context, /, engine: str | None, as_json: bool, python: str, lane: str, out: Path | None) -> int:
    """Tell as a page of Markdown which claims and verdicts turned on which release."""
    project = context.project()
    name = project.config.engine(engine)
    pythons = project.config.pythons_in(python)
    if len(pythons) > 1:
        raise InputError(f"--python {python}: means {', '.join(pythons)}", "Name one.")
    judgement = noted(judge_project(project, Choice(), None))
    known = [release.version for release in project.releases.of(name) if release.final]
    history = line(judgement, name, pythons[0], Lane(lane), known)
    if len(history.targets) < 2:
        raise EvidenceError(
            f"fewer than two releases of {name} were tested on Python {pythons[0]}, {lane}",
            "`adk-probe run --suite releases` tests all of them.",
        )
    claims = {probe.id: probe.claim for probe in project.catalog.probes[name].values() if not probe.mechanism}
    claims |= {key: mechanism.sentence for key, mechanism in project.config.mechanisms.items()}
    pairs = zip(history.targets, history.targets[1:], strict=False)
    found = [
        ReleaseChanges(after.release, before.release, _gap(history.known, before, after), tuple(turns))
        for before, after in pairs
        if (turns := [each for each in between(judgement, history, before, after, claims) if each.kind != "fact"])
    ]
    told = Changes(CHANGES_SCHEMA, name, pythons[0], Lane(lane), tuple(reversed(found)))
    page = _page(told, history.targets)
    if out is not None:
        write_atomic(out, page.encode(), out.name)
    put(told, as_json, lambda: page.rstrip("\n") if out is None else f"{out}: written")
    return GOOD


def _gap(known: tuple[str, ...], before: Target, after: Target) -> tuple[str, ...]:
    return known[known.index(before.release) + 1 : known.index(after.release)]


def _page(told: Changes, tested: Iterable[Target]) -> str:
    releases = [target.release for target in tested]
    lines = [
        f"# What changed when: {told.engine} on Python {told.python}, {told.lane}",
        "",
        f"From the evidence of {len(releases)} releases, {releases[0]} to {releases[-1]}, by `adk-probe changes`.",
        "A release that is not listed changed nothing that is asked.",
        "",
        "| release | what turned |",
        "| --- | --- |",
    ]
    for row in told.releases:
        gap = f" (or on {', '.join(row.untested)}, not tested)" if row.untested else ""
        turned = "<br>".join(_words(turn) for turn in row.turns)
        lines.append(f"| {row.release}{gap} | {turned} |")
    return "\n".join(lines) + "\n"


def _words(turn: Turn) -> str:
    if turn.kind == "mechanism":
        return f"**{markdown(turn.name)}: {turn.was} → {turn.now}**"
    return f"{WORDS[turn.consequence]}: {markdown(turn.what)} ({turn.was} → {turn.now}; `{turn.name}`)"
