"""A bisection of a project's releases: which releases there are, the search over them, and what it came to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import msgspec
from packaging.version import Version

from adk_probe.errors import InputError
from adk_probe.evidence.answers import Answer, Subject
from adk_probe.evidence.bisect import Bracket, Known, Span, step, turns
from adk_probe.model import Lane, Release, Target, python_order
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice

BISECTION_SCHEMA = "adk-probe.bisection/1"


class History(msgspec.Struct, frozen=True):
    """The releases that are searched, oldest first, and what is asked of each."""

    subject: Subject
    python: str
    lane: Lane
    releases: tuple[str, ...]

    def target(self, release: str) -> Target:
        """Return the target in which a release is asked."""
        return Target(self.subject.engine, release, self.python, self.lane)


class Looked(msgspec.Struct, frozen=True):
    """A release that was looked at: its answer, and whether that was in the evidence or was asked for now."""

    release: str
    answer: Answer
    source: Literal["evidence", "run"]


class Turn(msgspec.Struct, frozen=True):
    """Two releases that answer differently, and none between them is known to answer anything.

    Attributes:
        unclear: releases between them that were looked at and cannot tell.
        unseen: releases between them that nobody looked at.
    """

    older: str
    newer: str
    before: Answer
    after: Answer
    unclear: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class Bisection(msgspec.Struct, frozen=True):
    """What a bisection came to.

    Attributes:
        bad: the release where the search started.
        good: the other end as it was given; empty where it was to be found.
        result: ``found`` (``turn`` has nothing between that could be looked at), ``no change`` (what was looked at
            agrees), or ``cannot tell``.
        turn: the one that was searched for; None where no two releases are known to differ.
        turns: every turn of what is known of all releases; more than one if the history is not monotonic.
        looked: every release of which something is known, oldest first.
        unseen: every release that nobody looked at.
    """

    schema: str
    name: str
    fact: str
    engine: str
    python: str
    lane: Lane
    bad: str
    good: str
    result: Literal["found", "no change", "cannot tell"]
    turn: Turn | None
    turns: tuple[Turn, ...]
    looked: tuple[Looked, ...]
    unseen: tuple[str, ...]


def history(project: Project, subject: Subject, python: str, lane: Lane, named: Iterable[str]) -> History:
    """Return the final releases that admit a Python, and those that were named as ends.

    Raises:
        InputError: there is none, or one that was named does not admit the Python.
    """
    wanted = set(named)
    releases = [each for each in project.releases.of(subject.engine) if each.final or each.version in wanted]
    kept = [each for each in releases if each.admits(python) and (lane is Lane.TODAY or each.uploaded)]
    if refused := sorted(wanted - {each.version for each in kept}, key=Version):
        raise InputError(
            f"{subject.engine} {refused[0]} cannot be run on Python {python}, {lane}", _why(releases, refused)
        )
    if not kept:
        raise InputError(f"no release of {subject.engine} admits Python {python}", "Choose another --python.")
    ordered = sorted((each.version for each in kept), key=Version)
    return History(subject, python, lane, tuple(ordered))


def _why(releases: Iterable[Release], refused: list[str]) -> str:
    found = next(each for each in releases if each.version == refused[0])
    return f"It requires Python {found.requires_python}." if found.requires_python else "Its upload time is not known."


def release_of(project: Project, engine: str, option: str, text: str) -> str:
    """Return the one release that a version or ``newest`` means.

    Raises:
        InputError: it means none or several.
    """
    found = project.releases.choose(engine, text)
    if len(found) > 1:
        raise InputError(f"{option} {text}: means {len(found)} releases", "Name one version, or `newest`.")
    return found[0].version


def python_of(project: Project, engine: str, lane: Lane, text: str | None, tested: Iterable[Target]) -> str:
    """Return the one Python that is meant; without a text that on which most releases have evidence.

    Args:
        tested: the targets of which there is evidence.

    Raises:
        InputError: the text means several.
    """
    if text is not None:
        found = project.config.pythons_in(text)
        if len(found) > 1:
            raise InputError(f"--python {text}: means {', '.join(found)}", "Name one Python, like 3.12.")
        return found[0]
    count: dict[str, int] = {}
    for target in tested:
        if (target.engine, target.lane) == (engine, lane):
            count[target.python] = count.get(target.python, 0) + 1
    if not count:
        return project.plan(Choice(engine=engine))[0].target.python
    return max(count, key=lambda python: (count[python], python_order(python)))


def span(releases: History, bad: str | None, good: str | None) -> Span:
    """Return where to search; without a bad end, from the newest release.

    Raises:
        InputError: both ends are the same release.
    """
    place = {release: index for index, release in enumerate(releases.releases)}
    start = len(place) - 1 if bad is None else place[bad]
    if good is not None and place[good] == start:
        raise InputError(f"--good {good}: is the other end too", "Name two different releases.")
    return Span(start, None if good is None else place[good])


def search(
    releases: History, where: Span, evidence: Mapping[str, Answer], ask: Callable[[str], Answer] | None
) -> Bisection:
    """Search for the turn.

    Args:
        evidence: what is known of releases without asking.
        ask: runs a release and returns its answer; None to use nothing but evidence.
    """
    place = {release: index for index, release in enumerate(releases.releases)}
    # trouble of ours says nothing of a release, so that it is asked again
    known: dict[int, Answer] = {
        place[release]: answer for release, answer in evidence.items() if release in place and not answer.ours
    }
    ran: set[int] = set()
    while ask is not None and (wanted := step(known, where).ask) is not None:
        known[wanted] = ask(releases.releases[wanted])
        ran.add(wanted)
    return _document(releases, where, known, ran)


def _document(releases: History, where: Span, known: Known, ran: set[int]) -> Bisection:
    ended, names = step(known, where), releases.releases
    if ended.ask is not None or (ended.bracket is None and ended.told < 2):
        result: Literal["found", "no change", "cannot tell"] = "cannot tell"
    else:
        result = "found" if ended.bracket is not None else "no change"
    return Bisection(
        schema=BISECTION_SCHEMA,
        name=releases.subject.name,
        fact=releases.subject.fact,
        engine=releases.subject.engine,
        python=releases.python,
        lane=releases.lane,
        bad=names[where.bad],
        good="" if where.good is None else names[where.good],
        result=result,
        turn=_turn(names, known, ended.bracket) if ended.bracket is not None else None,
        turns=tuple(_turn(names, known, each) for each in turns(known)),
        looked=tuple(Looked(names[each], known[each], "run" if each in ran else "evidence") for each in sorted(known)),
        unseen=tuple(name for number, name in enumerate(names) if number not in known),
    )


def _turn(names: tuple[str, ...], known: Known, bracket: Bracket) -> Turn:
    return Turn(
        names[bracket.older],
        names[bracket.newer],
        known[bracket.older],
        known[bracket.newer],
        tuple(names[each] for each in bracket.unclear),
        tuple(names[each] for each in bracket.unseen),
    )
