"""Collapse releases and Pythons that were tested into ranges that claim nothing more; pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from packaging.version import Version

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
