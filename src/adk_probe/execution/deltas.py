"""Delta debugging, three-valued: the smallest set of changes that turns an old answer into the new one; pure.

Changes may need each other, as one distribution's version needs another's. Only sets that hold all that their members
need are tried, so few trials fail for want of a fitting partner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

Changes = frozenset[str]
Needs = Mapping[str, Changes]


class Side(StrEnum):
    """Which answer a trial gave: that of before all changes, that of after them, or neither."""

    OLD = "old"
    NEW = "new"
    UNCLEAR = "unclear"


def closed(needs: Needs) -> dict[str, Changes]:
    """Return for each change all that it needs, itself included, near or far."""
    found = {}
    for name in needs:
        reached, left = {name}, [name]
        while left:
            further = [each for each in needs[left.pop()] if each not in reached]
            reached.update(further)
            left.extend(further)
        found[name] = frozenset(reached)
    return found


def with_needed(changes: Iterable[str], needs: Needs) -> Changes:
    """Return changes with all that they need; ``needs`` is closed."""
    return frozenset().union(*(needs[name] for name in changes))


def without(changes: Changes, left_out: Iterable[str], needs: Needs) -> Changes:
    """Return the changes that are left without some, and without those that need one of them; ``needs`` is closed."""
    gone = set(left_out)
    return frozenset(name for name in changes if not needs[name] & gone)


def minimize(
    changes: Sequence[str], needs: Needs, test: Callable[[Changes], Side], first: Iterable[Changes] = ()
) -> Changes:
    """Return a set of changes that gives the new answer, from which no change can be left out.

    That is: without any one of them (and those that need it) the answer is the old one, or nobody can tell.

    Args:
        changes: all of them together give the new answer, none of them the old one.
        needs: what each change needs, closed.
        test: tries a set that holds all that its members need; asked about each set once.
        first: sets to try before all others, in order.
    """
    known: dict[Changes, Side] = {frozenset(): Side.OLD, frozenset(changes): Side.NEW}

    def new(tried: Changes) -> bool:
        if tried not in known:
            known[tried] = test(tried)
        return known[tried] is Side.NEW

    current = next((tried for tried in first if new(tried)), frozenset(changes))
    parts = 2
    while len(current) > 1:
        smaller = next((tried for tried in _smaller(changes, current, needs, parts) if new(tried)), None)
        if smaller is not None:
            current, parts = smaller, 2
        elif parts >= len(current):
            break
        else:
            parts = min(2 * parts, len(current))
    return current


def _smaller(order: Sequence[str], current: Changes, needs: Needs, parts: int) -> Iterable[Changes]:
    """Yield the sets to try: each part of a set, then all but each part; none of them is empty or the set itself."""
    members = [name for name in order if name in current]
    size = -(-len(members) // parts)
    chunks = [members[start : start + size] for start in range(0, len(members), size)]
    tried = [*(with_needed(chunk, needs) for chunk in chunks), *(without(current, chunk, needs) for chunk in chunks)]
    yield from dict.fromkeys(each for each in tried if each and each != current)
