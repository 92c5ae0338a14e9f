"""``adk-probe culprit``: name the dependencies that flip an answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from adk_probe.cli.screen import short
from adk_probe.cli.shared import GOOD, INCOMPLETE, REFUSED, Context, check_release, options, put, say
from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence import store
from adk_probe.evidence.answers import Answer, fact_fault, subject_of
from adk_probe.evidence.bisection import python_of, release_of
from adk_probe.execution import culprit as culprits
from adk_probe.execution import interpreters, pinned
from adk_probe.execution.culprit import Culprit, End, Tried
from adk_probe.execution.pinned import Pins
from adk_probe.execution.trials import Trials
from adk_probe.generate import building
from adk_probe.model import Interpreter, Lane, Target
from adk_probe.project.fidelity_cells import graphs_of
from adk_probe.project.folder import Project

EXIT_CODES = {"found": GOOD, "no change": REFUSED, "cannot tell": INCOMPLETE}
WHOSE = {
    "release": "the release itself, with the dependencies that it needs",
    "dependencies": "dependencies that moved, and not the release",
    "both": "the release together with dependencies that it does not need",
}


@click.command()
@click.argument("name")
@options("engine", "python", "json")
@click.option("--release", required=True, help="A version, or `newest`.")
@click.option("--against", help="Compare with another release, each with its own pins.")
@click.option(
    "--pins",
    multiple=True,
    type=click.Path(path_type=Path, readable=False),
    help=(
        "A set of pins of the release: a result of another day, or lines name==version. One is compared with what the "
        "index gives now, two with each other."
    ),
)
@click.option(
    "--lane", type=click.Choice([str(lane) for lane in Lane]), help="Of --against and --pins; default: today."
)
@click.option("--fact", default="", help="Compare this fact of the probe, not its verdict; a.b is a key in a fact.")
@click.pass_obj
def culprit(context: Context, /, name: str, as_json: bool, **wanted: Any) -> int:
    """Name the smallest set of dependency changes that gives a probe, a fidelity cell or a mechanism another answer.

    Without --against or --pins, compares the release as it was released with the release of today. Changes no evidence.
    Exit 0 if the culprit is found, 1 if both answer the same, 3 if nobody can tell.
    """
    for option in ("release", "against"):
        if wanted[option] is not None:
            check_release(f"--{option}", wanted[option])
    project = context.project()
    subject = subject_of(project, name, wanted["engine"], wanted["fact"])
    results = store.load(project.root).results
    if subject.fact and (fault := fact_fault(subject, results.values())):
        raise InputError(f"--fact {subject.fact}: {fault}", f"`adk-probe explain {subject.name}` shows its facts.")
    lane = Lane(wanted["lane"] or Lane.TODAY)
    python = python_of(project, subject.engine, lane, wanted["python"], (each.target for each in results.values()))
    interpreter = interpreters.find({python}).get(python)
    if interpreter is None:
        raise EvidenceError(f"no Python {python} on this machine", "Choose another --python.")
    old, new = _ends(project, subject.engine, interpreter, wanted)
    building.ready(project.root, project.config, graphs_of(subject.probes))
    found = culprits.Search(Trials(project, subject, interpreter), old, new, _tell).run()
    put(found, as_json, lambda: culprit_text(found))
    return EXIT_CODES[found.result]


def _tell(tried: Tried, among: int) -> None:
    say(f"{len(tried.changes)} of {among} changes: {tried.answer.look} ({tried.side})")


def _ends(project: Project, engine: str, interpreter: Interpreter, wanted: dict[str, Any]) -> tuple[Pins, Pins]:
    """Return the two sets of pins that options mean; raises InputError where they contradict each other."""
    lane, against, files = Lane(wanted["lane"] or Lane.TODAY), wanted["against"], wanted["pins"]
    target = _target(project, engine, interpreter, "--release", wanted["release"], lane)
    if files and against:
        raise InputError("--against and --pins: both name what to compare with", "Give one of them.")
    if len(files) > 2:
        raise InputError(f"--pins: {len(files)} files, and two can be compared", "Give one or two.")
    if files:
        sets = [pinned.of_file(path, project.config.engines[engine], target) for path in files]
        now = [] if len(sets) == 2 else [pinned.of_target(project, target, interpreter, again=True)]
        old, new = [*sets, *now]
    elif against:
        other = _target(project, engine, interpreter, "--against", against, lane)
        if other == target:
            raise InputError(f"--against {against}: is the same release", "Name another one.")
        old, new = (pinned.of_target(project, each, interpreter) for each in (target, other))
    elif wanted["lane"]:
        raise InputError("--lane: goes with --against or --pins", "Without them both lanes are compared.")
    else:
        lanes = (msgspec.structs.replace(target, lane=each) for each in (Lane.AS_RELEASED, Lane.TODAY))
        old, new = (pinned.of_target(project, each, interpreter) for each in lanes)
    return old, new


def _target(project: Project, engine: str, interpreter: Interpreter, option: str, text: str, lane: Lane) -> Target:
    release = release_of(project, engine, option, text)
    known = next(each for each in project.releases.of(engine) if each.version == release)
    if not known.admits(interpreter.python):
        raise InputError(
            f"{option} {text}: {engine} {release} requires Python {known.requires_python}", "Choose another --python."
        )
    return Target(engine, release, interpreter.python, lane)


def culprit_text(found: Culprit) -> str:
    """Return who the culprit is, what both ends answer, and what comes and goes with the change."""
    return "\n".join(_lines(found))


def _lines(found: Culprit) -> Iterator[str]:
    what = f"{found.name}, fact {found.fact}," if found.fact else found.name
    yield f"{what} on {found.engine}, Python {found.python}: {_sentence(found)}"
    yield "  " + short(f"{found.old.label}: {_said(found, found.old)}")
    yield "  " + short(f"{found.new.label}: {_said(found, found.new)}")
    if found.whose:
        yield f"the culprit: {WHOSE[found.whose]}"
    if found.changes:
        yield f"of {found.among} distributions that changed, these flip the answer, and none can be left out:"
        yield from (f"  {change}" for change in found.changes)
    for effect in found.effects:
        verb, requires = ("goes", "required") if effect.change.old else ("comes", "requires")
        version = effect.change.old or effect.change.new
        because = f", which {_and(effect.because)} {requires}" if effect.because else ""
        yield f"  with them {verb} {effect.change.name} {version}{because}"
    if found.trials:
        unclear = sum(each.side == "unclear" for each in found.trials)
        count = len(found.trials)
        yield f"{count} trial{'' if count == 1 else 's'}, of which {unclear} could not tell"


def _sentence(found: Culprit) -> str:
    if found.result == "no change":
        return "both sets of pins give the same answer"
    if found.result == "cannot tell":
        return "cannot tell"
    named = [each.name for each in found.changes]
    shown = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
    return f"flipped by {shown}"


def _said(found: Culprit, end: End) -> str:
    answer: Answer = end.answer
    value = msgspec.json.encode(answer.value).decode() if found.fact and answer.told else answer.look
    return f"{value}: {answer.words}" if answer.words else value


def _and(names: tuple[str, ...]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
