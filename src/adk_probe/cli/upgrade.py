"""``adk-probe upgrade``: what changes for whoever goes from one release to another."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

import click
import msgspec

from adk_probe.cli.citing import Cited, cited, cited_markdown, cited_text
from adk_probe.cli.shared import GOOD, INCOMPLETE, REFUSED, Context, noted, options, put
from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence import timings
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.judging import judge_project
from adk_probe.evidence.reasons import few
from adk_probe.evidence.turns import Consequence, Line, Turn, between, line, uncomparable
from adk_probe.model import Lane, Target, Verdict
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice
from adk_probe.project.requirements import requirements
from adk_probe.project.specifiers import release_fault
from adk_probe.report.escape import markdown, one_line

UPGRADE_SCHEMA = "adk-probe.upgrade/1"
SHOWN = 25
"""Lines of differences that a screen holds beside what stands above and below them."""
NAMED = 3
"""Claims that are named of those that changed alike."""
HEADS = {
    Consequence.BREAKS: "breaks",
    Consequence.DEPRECATED: "newly deprecated",
    Consequence.DIFFERS: "behaves differently",
    Consequence.DOUBT: "cannot be told",
    Consequence.WORKS: "works now",
}


class Upgrade(msgspec.Struct, frozen=True):
    """The answer; what it may be moved to is ``use``: the mechanisms that are allowed on the new release.

    Attributes:
        turns: the worst consequence first.
        uncomparable: claims and scenarios that one of the two gives no fresh answer to.
        api: what the wheels say of the symbols that probes use; None where they were not asked.
    """

    schema: str
    engine: str
    old: Target
    new: Target
    turns: tuple[Turn, ...]
    use: tuple[str, ...]
    uncomparable: tuple[str, ...]
    api: Cited | None = None


@click.command()
@options("engine", "json", "max-age")
@click.option("--from", "old", required=True, help="The release that is used now, like 1.39.1.")
@click.option("--to", "new", default="newest", show_default=True, help="The release to go to: a version, or `newest`.")
@click.option("--python", default="3.12", show_default=True, help="A Python, like 3.12.")
@click.option("--lane", type=click.Choice([str(lane) for lane in Lane]), default=str(Lane.TODAY), show_default=True)
@click.option("--all", "everything", is_flag=True, help="Show every difference, not only a screen of them.")
@click.option("--format", "form", type=click.Choice(["text", "markdown"]), default="text", show_default=True)
@click.pass_obj
def upgrade(
    context: Context,
    /,
    engine: str | None,
    as_json: bool,
    max_age: int | None,
    old: str,
    new: str,
    python: str,
    lane: str,
    everything: bool,
    form: str,
) -> int:
    """Say what breaks, is deprecated or behaves differently between two releases, since when, and what to use.

    Cites the wheels of both for the symbols that probes use. Exit 0 if nothing breaks and nothing is deprecated, 1 if
    something does, 3 if that cannot be told.
    """
    project = context.project()
    judgement = noted(judge_project(project, Choice(), project.max_age(max_age)))
    found = compared(project, judgement, project.config.engine(engine), (old, new), python, Lane(lane))
    wheels = cited(project, found.engine, found.old.release, found.new.release)
    found = msgspec.structs.replace(found, api=wheels)
    show, cite = (markdown_text, cited_markdown) if form == "markdown" else (text, cited_text)
    most = len(found.turns) if everything else SHOWN
    gap = "\n\n" if form == "markdown" else "\n"
    put(found, as_json, lambda: show(found, most) + gap + cite(wheels, everything))
    bad = (Consequence.BREAKS, Consequence.DEPRECATED)
    if any(turn.consequence in bad for turn in found.turns):
        return REFUSED
    doubt = found.uncomparable or any(turn.consequence is Consequence.DOUBT for turn in found.turns)
    return INCOMPLETE if doubt else GOOD


def compared(
    project: Project, judgement: Judgement, engine: str, releases: tuple[str, str], python: str, lane: Lane
) -> Upgrade:
    """Compare two releases on one Python in one lane.

    Raises:
        InputError: a release is none, or means several; the Python is none.
        EvidenceError: one of them has no fresh evidence there.
    """
    pythons = project.config.pythons_in(python)
    if len(pythons) > 1:
        raise InputError(f"--python {python}: means {', '.join(pythons)}", "Name one.")
    known = [release.version for release in project.releases.of(engine) if release.final]
    history = line(judgement, engine, pythons[0], lane, known)
    old, new = (_target(project, history, engine, text, pythons[0], lane) for text in releases)
    claims = {name: probe.claim for name, probe in project.catalog.probes[engine].items() if not probe.mechanism}
    every = requirements(project.config, project.catalog)
    scenarios = {name for each in every if each.engine == engine for name in each.scenarios}
    sentences = {name: mechanism.sentence for name, mechanism in project.config.mechanisms.items()}
    turns = between(judgement, history, old, new, {**claims, **sentences})
    # what varies from run to run says nothing of the release
    measured = _measured(project, (old, new))
    turns = [turn for turn in turns if turn.kind != "fact" or turn.name not in measured]
    use = tuple(
        row.mechanism
        for row in judgement.mechanisms
        if row.target == new and not row.feature and row.verdict is Verdict.ALLOWED
    )
    preferred = project.config.preferred(engine)
    return Upgrade(
        UPGRADE_SCHEMA,
        engine,
        old,
        new,
        tuple(turns),
        tuple(sorted(use, key=preferred.index)),
        uncomparable(judgement, old, new, claims, scenarios),
    )


def _measured(project: Project, targets: Iterable[Target]) -> set[str]:
    """Return the names of facts, as ``probe: fact``, that a probe measured on one of the targets."""
    records = timings.load(project.root)
    found = (records[target.key].cells for target in targets if target.key in records)
    return {f"{probe}: {name}" for cells in found for probe, cell in cells.items() for name in cell.facts}


def _target(project: Project, history: Line, engine: str, text: str, python: str, lane: Lane) -> Target:
    if fault := release_fault(text):
        raise InputError(f"--from and --to: {fault}", "Name one version, like 2.0.0, or `newest`.")
    chosen = project.releases.choose(engine, text)
    if len(chosen) > 1:
        raise InputError(f"{text} means {len(chosen)} releases", "Name one version, or `newest`.")
    wanted = Target(engine, chosen[0].version, python, lane)
    if wanted not in history.targets:
        raise EvidenceError(
            f"there is no fresh evidence of {wanted.label}", f"`adk-probe run {wanted.command}` makes it."
        )
    return wanted


def text(found: Upgrade, most: int) -> str:
    """Return the differences in words, at most so many of them."""
    lines = [f"{found.old.label} → {found.new.release}", f"  {_tally(found)}", f"  {_advice(found)}"]
    shown = 0
    for consequence, turns in _groups(found.turns):
        if shown < most:
            lines.append(HEADS[consequence])
        for names, turn in _alike(turns):
            if shown < most:
                lines.append(f"  {few(names, NAMED)}{_words(turn)}")
            shown += 1
    rest = shown - most
    return "\n".join([*lines, *([f"and {rest} more: --all shows them"] if rest > 0 else [])])


def _alike(turns: Iterable[Turn]) -> list[tuple[list[str], Turn]]:
    """Return turns that differ in nothing but their claim together: the names, and the first of them."""
    groups: dict[tuple[str, ...], list[Turn]] = {}
    for turn in turns:
        # of a fact, the value says more than what it has in common with others
        own = turn.name if turn.kind == "fact" else ""
        groups.setdefault((turn.kind, turn.since, turn.was, turn.now, turn.why, own), []).append(turn)
    return [([each.name for each in found], found[0]) for found in groups.values()]


def _words(turn: Turn) -> str:
    since = f"since {turn.since}" + (f", or {turn.untested[0]} (not tested)" if turn.untested else "")
    change = f"{one_line(turn.was, 60)} → {one_line(turn.now, 60)}"
    why = f": {one_line(turn.why, 100)}" if turn.why else ""
    return f", {since}: {change}{why}"


def _groups(turns: Iterable[Turn]) -> Iterator[tuple[Consequence, list[Turn]]]:
    groups: dict[Consequence, list[Turn]] = {}
    for turn in turns:
        groups.setdefault(turn.consequence, []).append(turn)
    yield from groups.items()


def _tally(found: Upgrade) -> str:
    counts = [f"{len(turns)} {HEADS[consequence]}" for consequence, turns in _groups(found.turns)]
    differs = ", ".join(counts) or "nothing that can be compared differs"
    if not found.uncomparable:
        return differs
    releases = f"{found.old.release} or {found.new.release}"
    return f"{differs}; {len(found.uncomparable)} claims or scenarios lack fresh evidence on {releases}"


def _advice(found: Upgrade) -> str:
    release = shlex.quote(found.new.release)
    if not found.use:
        return f"no mechanism is allowed on {release}: `adk-probe allowed --release {release}` says why"
    others = f" (allowed, too: {', '.join(found.use[1:])})" if found.use[1:] else ""
    return (
        f"use {found.use[0]}{others}: `adk-probe generate GRAPH.ir.json --release {release} --mechanism {found.use[0]}`"
    )


def markdown_text(found: Upgrade, most: int) -> str:
    """Return the differences as Markdown, at most so many of them."""
    lines = [
        f"## {markdown(found.old.label)} → {found.new.release}",
        "",
        f"{_tally(found)}. {_advice(found)}",
        "",
    ]
    shown = 0
    for consequence, turns in _groups(found.turns):
        if shown >= most:
            break
        lines += [
            f"### {HEADS[consequence]}",
            "",
            "| what | since | was | now | seen |",
            "| --- | --- | --- | --- | --- |",
        ]
        alike = _alike(turns)
        for names, turn in alike[: most - shown]:
            since = turn.since + (f" or {turn.untested[0]}" if turn.untested else "")
            cells = (few(names, NAMED), since, one_line(turn.was, 60), one_line(turn.now, 60), one_line(turn.why, 160))
            lines.append(f"| {' | '.join(markdown(cell) for cell in cells)} |")
        shown += len(alike)
        lines.append("")
    rest = sum(len(_alike(turns)) for _, turns in _groups(found.turns)) - most
    return "\n".join([*lines, *([f"and {rest} more: `--all` shows them"] if rest > 0 else [])]).rstrip()
