"""Collapse releases and Pythons that were tested into ranges that claim nothing more; pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TypeVar

import msgspec
from packaging.version import Version

from adk_probe.model import Lane, Release, Target, python_order

T = TypeVar("T")


def words(tested: Iterable[str], known: Iterable[str]) -> str:
    """Name tested versions, joining with a dash only those between which no known version is left out.

    >>> words(["1.0", "1.1", "1.2", "2.0"], ["1.0", "1.1", "1.2", "1.3", "2.0"])
    '1.0 – 1.2, 2.0'
    """
    wanted = sorted(set(tested), key=Version)
    place = {version: index for index, version in enumerate(sorted({*known, *wanted}, key=Version))}
    runs: list[list[str]] = []
    for version in wanted:
        if runs and place[version] == place[runs[-1][-1]] + 1:
            runs[-1].append(version)
        else:
            runs.append([version])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} – {run[-1]}" for run in runs)


def neighbours(items: Sequence[T], same: Callable[[T], Hashable]) -> list[list[T]]:
    """Split a sequence into its longest runs of neighbours for which ``same`` is equal."""
    return [list(group) for _, group in groupby(items, key=same)]


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


def scale(declared: Iterable[str], releases: Iterable[Release], targets: Iterable[Target]) -> Scale:
    """Return the scale of one engine.

    Args:
        declared: the Pythons that it is meant to be tested on.
        releases: all that are known.
        targets: those that were tested, final or not, declared or not: no range may pass over them either.
    """
    seen = tuple(targets)
    finals = {release.version for release in releases if release.final}
    every = sorted(finals | {target.release for target in seen}, key=Version)
    return Scale(tuple(every), tuple(sorted({*declared, *(target.python for target in seen)}, key=python_order)))
