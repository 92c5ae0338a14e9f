"""Neighbouring targets of equal verdicts → columns, and targets → words; pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache

import msgspec
from packaging.version import Version

from adk_probe.model import Lane, Target, python_order
from adk_probe.ranges import neighbours, words


@lru_cache(maxsize=4096)
def _words(tested: frozenset[str], known: tuple[str, ...]) -> str:
    # a report names the same few sets of versions hundreds of times, and comparing versions is slow
    return words(tested, known)


class Scale(msgspec.Struct, frozen=True):
    """The versions that there are of one engine, so that no range spans one that was not tested.

    Attributes:
        releases: the engine's final releases, and what else of it was tested.
        pythons: every Python that the engine is tested on anywhere, or would be if it were there.
    """

    releases: tuple[str, ...]
    pythons: tuple[str, ...]

    def words(self, targets: Iterable[Target]) -> tuple[str, str]:
        """Return the releases and the Pythons of targets in words."""
        wanted = tuple(targets)
        releases = _words(frozenset(target.release for target in wanted), self.releases)
        return releases, _words(frozenset(target.python for target in wanted), self.pythons)

    def where(self, targets: Iterable[Target]) -> str:
        """Return any set of targets in words that name these targets and no others.

        For example ``1.39.1, 2.0.0 on Python 3.11 – 3.14, today; 2.5.0 on Python 3.12, today``.
        """
        pythons: dict[tuple[Lane, str], set[str]] = {}
        for target in targets:
            pythons.setdefault((target.lane, target.release), set()).add(target.python)
        parts: dict[tuple[Lane, tuple[str, ...]], list[str]] = {}
        for (lane, release), found in sorted(pythons.items(), key=lambda item: (item[0][0], Version(item[0][1]))):
            parts.setdefault((lane, tuple(sorted(found, key=python_order))), []).append(release)
        return "; ".join(
            f"{_words(frozenset(releases), self.releases)} on Python {_words(frozenset(found), self.pythons)}, {lane}"
            for (lane, found), releases in parts.items()
        )


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
