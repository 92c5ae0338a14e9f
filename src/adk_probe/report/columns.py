"""Neighbouring targets of equal verdicts → columns, and targets → words; pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import msgspec
from packaging.version import Version

from adk_probe.model import Lane, Target, python_order
from adk_probe.ranges import Scale, neighbours


class Column(msgspec.Struct, frozen=True):
    """Targets that are shown as one, since every verdict is the same on all of them."""

    targets: tuple[Target, ...]
    releases: str
    pythons: str
    lane: Lane

    @property
    def title(self) -> str:
        """The column's name on one line."""
        return f"{self.releases}, Python {self.pythons}, {self.lane}"


def collapse(targets: Iterable[Target], same: Callable[[Target], Hashable], scale: Scale) -> tuple[Column, ...]:
    """Return the columns of one engine: Pythons are joined first, then releases that have the same Pythons.

    Releases are neighbours when no release tested in the same lane lies between them.

    Args:
        same: what must be equal for two targets to share a column.
    """
    groups: list[list[Target]] = []
    for lane in Lane:
        groups.extend(_lane([target for target in targets if target.lane is lane], same))
    columns = [Column(tuple(group), *scale.words(group), group[0].lane) for group in groups]
    return tuple(sorted(columns, key=_order))


def _order(column: Column) -> tuple[Version, str, tuple[int, ...]]:
    first = column.targets[0]
    return Version(first.release), first.lane, python_order(first.python)


def _lane(targets: list[Target], same: Callable[[Target], Hashable]) -> list[list[Target]]:
    ordered = sorted(targets, key=lambda target: target.order)
    place = {release: number for number, release in enumerate(dict.fromkeys(target.release for target in ordered))}
    # the last group of each set of Pythons, which the next release may continue
    last: dict[tuple[str, ...], list[Target]] = {}
    groups: list[list[Target]] = []
    for group in neighbours(ordered, lambda target: (target.release, same(target))):
        pythons = tuple(target.python for target in group)
        before = last.get(pythons)
        if (
            before is not None
            and place[group[0].release] == place[before[-1].release] + 1
            and same(before[-1]) == same(group[0])
        ):
            before.extend(group)
        else:
            groups.append(list(group))
            last[pythons] = groups[-1]
    return groups
