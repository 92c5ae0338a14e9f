"""The search for the release on which an answer turns, three-valued: an answer, another one, or nobody can tell; pure.

Nothing is remembered between two steps: what to look at next follows from all that is known. So evidence is used before
anything runs, and a search that was interrupted goes on from what it had found.

Releases are numbered by their order. A search takes O(log n) questions, and one more for each release that cannot tell.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import msgspec

from adk_probe.evidence.answers import Answer

Known = Mapping[int, Answer]


class Span(msgspec.Struct, frozen=True):
    """Where to search: between two releases, by their numbers.

    Attributes:
        bad: where the search starts.
        good: the end whose answer is the old one; None for the nearest release with another answer than ``bad``.
        first: the oldest release that there is; of use only where ``good`` is None.
    """

    bad: int
    good: int | None = None
    first: int = 0

    @property
    def places(self) -> list[int]:
        """The releases of the span from the bad end to the good one, or to the oldest."""
        end = self.first if self.good is None else self.good
        step = 1 if end > self.bad else -1
        return list(range(self.bad, end + step, step))


class Bracket(msgspec.Struct, frozen=True):
    """Two releases that answer differently, and no release between them is known to answer anything.

    Attributes:
        older: number of the older release; ``newer`` likewise.
        unclear: numbers of those between that were looked at and cannot tell.
        unseen: numbers of those between that nobody looked at.
    """

    older: int
    newer: int
    unclear: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()


class Step(msgspec.Struct, frozen=True):
    """What follows from what is known.

    Attributes:
        ask: the release to look at next; None when the search has ended.
        bracket: the turn, as far as it is known; None where no two releases are known to differ.
        told: how many releases of the span are known to answer something.
    """

    ask: int | None
    bracket: Bracket | None
    told: int


def step(known: Known, span: Span) -> Step:
    """Return what to look at next, or what the search came to."""
    places = span.places
    told = [place for place in places if _told(known, place)]
    near = _first(known, places)
    if near is None or near not in known:
        return Step(near, None, len(told))
    if span.good is None:
        far = next((place for place in told if known[place].key != known[near].key), None)
        if far is None:
            return Step(_doubling(known, places, near), None, len(told))
    else:
        end = _first(known, places[::-1])
        if end is None or end not in known or end == near:
            return Step(None if end == near else end, None, len(told))
        far = _far(known, told, near, end)
        if far is None:
            return Step(None, None, len(told))
    # the last one before it that answers something else
    close = told[told.index(far) - 1]
    bracket = _bracket(known, close, far)
    unseen = bracket.unseen
    return Step(unseen[len(unseen) // 2] if unseen else None, bracket, len(told))


def _told(known: Known, place: int) -> bool:
    return place in known and known[place].told


def _first(known: Known, places: Sequence[int]) -> int | None:
    """Return the first release that answers something, or one before it that was not looked at; None without any."""
    return next((place for place in places if place not in known or known[place].told), None)


def _far(known: Known, told: Sequence[int], near: int, end: int) -> int | None:
    """Return the release with the old answer that is nearest to the bad end."""
    old = known[end].key
    if old == known[near].key:
        # the ends agree, which does not make what is known of those between any less true
        return next((place for place in told if known[place].key != old), None)
    return next(place for place in told if known[place].key == old)


def _doubling(known: Known, places: Sequence[int], near: int) -> int | None:
    """Return the first unknown release at 1, 2, 4, … steps from the bad end, the last one included."""
    start = places.index(near)
    reach = len(places) - 1 - start
    steps = [1 << power for power in range(reach.bit_length()) if 1 << power < reach] + [reach]
    return next((places[start + each] for each in steps if places[start + each] not in known), None)


def _bracket(known: Known, one: int, other: int) -> Bracket:
    older, newer = sorted((one, other))
    between = range(older + 1, newer)
    return Bracket(
        older,
        newer,
        tuple(place for place in between if place in known),
        tuple(place for place in between if place not in known),
    )


def turns(known: Known) -> list[Bracket]:
    """Return every turn of the history, oldest first, as far as it is known."""
    told = [place for place in sorted(known) if known[place].told]
    return [
        _bracket(known, older, newer)
        for older, newer in itertools.pairwise(told)
        if known[older].key != known[newer].key
    ]
