"""Which dependencies flip an answer: two sets of pins that answer differently, and the smallest change between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from adk_probe.errors import InfrastructureError
from adk_probe.evidence.answers import Answer, Subject
from adk_probe.execution.deltas import Changes, Side, minimize, with_needed, without
from adk_probe.execution.dependencies import Change, Mixture, markers_of
from adk_probe.execution.pinned import Pins
from adk_probe.execution.trials import Trial, Trials
from adk_probe.model import Target

CULPRIT_SCHEMA = "adk-probe.culprit/1"
MOST_TROUBLE = 3
"""How many trials in a row may meet trouble of ours before the search ends."""


class End(msgspec.Struct, frozen=True):
    """One of the two sets of pins, and its answer in a fresh environment."""

    label: str
    release: str
    answer: Answer


class Effect(msgspec.Struct, frozen=True):
    """A distribution that comes or goes with the culprits.

    Attributes:
        because: the culprits that require it in one version and do not in the other.
    """

    change: Change
    because: tuple[str, ...]


class Tried(msgspec.Struct, frozen=True):
    """A trial between the ends: the names of what had changed, and what came of it."""

    changes: tuple[str, ...]
    side: Side
    answer: Answer


class Culprit(msgspec.Struct, frozen=True):
    """What a search for a culprit came to.

    Attributes:
        result: ``found``, ``no change`` (both ends answer the same), or ``cannot tell`` (an end was not answered).
        whose: of two releases, whether the ``release`` flips the answer, with what it requires, or the
            ``dependencies`` that moved with it do, or it takes ``both``; else empty.
        changes: the smallest set that flips the answer: without any of them the old answer comes, or none.
        effects: what comes and goes with them.
        among: how many distributions changed from one end to the other, in all.
    """

    schema: str
    name: str
    fact: str
    engine: str
    python: str
    old: End
    new: End
    result: Literal["found", "no change", "cannot tell"]
    whose: Literal["", "release", "dependencies", "both"] = ""
    changes: tuple[Change, ...] = ()
    effects: tuple[Effect, ...] = ()
    among: int = 0
    trials: tuple[Tried, ...] = ()


Tell = Callable[[Tried, int], None]


class Search:
    """The search between two sets of pins.

    Args:
        tell: is told each trial and how many distributions changed in all.
    """

    def __init__(self, trials: Trials, old: Pins, new: Pins, tell: Tell) -> None:
        self.trials, self.old, self.new, self.tell = trials, old, new, tell
        self.engine = trials.project.config.engines[old.target.engine]
        self.tried: list[Tried] = []
        self.known: dict[Changes, Side] = {}
        self.trouble = 0

    def run(self) -> Culprit:
        """Ask both ends, and if they differ, search for what makes the difference.

        Raises:
            InfrastructureError: trouble of ours does not end.
        """
        before, after = (self.trials.run(each.target, each.pins) for each in (self.old, self.new))
        if before.answer.ours or after.answer.ours:
            return self._result("cannot tell", before, after)
        if before.answer.signature == after.answer.signature:
            return self._result("no change", before, after)
        roots = [self.engine.distribution, *(Requirement(each).name for each in self.engine.requires)]
        mixture = Mixture(before.packages, after.packages, roots, markers_of(self.trials.interpreter))
        # an end that could not even be installed has nothing to mix
        if not mixture.changes or not (before.packages and after.packages):
            return self._result("cannot tell", before, after)
        sides = {before.answer.signature: Side.OLD, after.answer.signature: Side.NEW}
        first = tuple(self._first(mixture))
        for moved in first:
            self._side(mixture, moved, sides)
        found = minimize(mixture.changes, mixture.needs, lambda moved: self._side(mixture, moved, sides), first)
        result = self._result("found", before, after)
        return msgspec.structs.replace(
            result,
            whose=self._whose(mixture, found),
            changes=tuple(mixture.all[name] for name in mixture.changes if name in found),
            effects=tuple(_effects(mixture, found)),
            among=len(mixture.all),
        )

    @property
    def _own(self) -> str:
        return str(canonicalize_name(self.engine.distribution))

    def _first(self, mixture: Mixture) -> Iterable[Changes]:
        """Yield the release with as much of its dependencies as it needs, and the dependencies without the release."""
        if self._own in mixture.changes:
            every = frozenset(mixture.changes)
            first = with_needed([self._own], mixture.needs), without(every, [self._own], mixture.needs)
            yield from (moved for moved in first if moved and moved != every)

    def _side(self, mixture: Mixture, moved: Changes, sides: dict[bytes, Side]) -> Side:
        if moved in self.known:
            return self.known[moved]
        release = self.new.target.release if self._own in moved else self.old.target.release
        target = msgspec.structs.replace(self.old.target, release=release)
        answer = self.trials.run(target, mixture.pins(moved)).answer
        side = self.known[moved] = sides.get(answer.signature, Side.UNCLEAR)
        self.tried.append(Tried(tuple(sorted(moved)), side, answer))
        self.tell(self.tried[-1], len(mixture.changes))
        self.trouble = self.trouble + 1 if answer.ours else 0
        if self.trouble == MOST_TROUBLE:
            raise InfrastructureError(f"{self.trouble} trials in a row met trouble: {answer.words}", "Try again.")
        return side

    def _whose(self, mixture: Mixture, found: Changes) -> Literal["", "release", "dependencies", "both"]:
        if self._own not in mixture.changes:
            return ""
        if self._own not in found:
            return "dependencies"
        return "release" if found == with_needed([self._own], mixture.needs) else "both"

    def _result(self, result: Literal["found", "no change", "cannot tell"], before: Trial, after: Trial) -> Culprit:
        subject: Subject = self.trials.subject
        target: Target = self.old.target
        return Culprit(
            CULPRIT_SCHEMA,
            subject.name,
            subject.fact,
            subject.engine,
            target.python,
            End(self.old.label, self.old.target.release, before.answer),
            End(self.new.label, self.new.target.release, after.answer),
            result,
            trials=tuple(self.tried),
        )


def _effects(mixture: Mixture, found: Changes) -> Iterable[Effect]:
    """Yield what comes and goes with changes, and which of them requires it on one side."""
    mixed = mixture.packages(found)
    for name, change in mixture.all.items():
        if name in mixture.changes or (name in mixed) == (name in mixture.old):
            continue
        requirers = mixture.requirers(name, mixture.old if name in mixture.old else mixed)
        yield Effect(change, tuple(each for each in requirers if each in found))
