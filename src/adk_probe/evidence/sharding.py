"""Planned targets → shards of about equal cost, by what targets took before; pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from adk_probe.model import RunRecord
from adk_probe.project.plan import Planned

UNKNOWN_SECONDS = 60.0
"""What a target is taken to cost where nothing of its engine was ever run."""


class Shard(msgspec.Struct, frozen=True):
    """Part ``number`` (from 1) of ``count``, and how many seconds it is expected to take."""

    number: int
    count: int
    seconds: float
    targets: tuple[str, ...]

    @property
    def option(self) -> str:
        """What ``adk-probe run --shard`` takes."""
        return f"{self.number}/{self.count}"


def costs(planned: Iterable[Planned], records: Mapping[str, RunRecord]) -> dict[str, float]:
    """Return the seconds that each target is expected to take, by its key.

    What was never run is taken to cost as much as others of its engine do.
    """
    items = list(planned)
    known = {item.target.key: _seconds(records[item.target.key]) for item in items if item.target.key in records}
    by_engine: dict[str, list[float]] = {}
    for item in items:
        if item.target.key in known:
            by_engine.setdefault(item.target.engine, []).append(known[item.target.key])
    typical = {engine: statistics.median(found) for engine, found in by_engine.items()}
    found = {}
    for item in items:
        guess = known.get(item.target.key, typical.get(item.target.engine, UNKNOWN_SECONDS))
        # what is planned only to be told apart as impossible costs nothing
        found[item.target.key] = 0.0 if item.fault is not None else guess
    return found


def _seconds(record: RunRecord) -> float:
    return sum(record.seconds.values())


def shards(planned: Sequence[Planned], expected: Mapping[str, float], count: int) -> list[list[Planned]]:
    """Return ``count`` parts of about equal cost, each in the plan's order: the dearest first, to the cheapest part.

    The same plan and the same costs give the same parts, on whatever machine.
    """
    parts: list[list[int]] = [[] for _ in range(count)]
    spent = [0.0] * count
    order = sorted(range(len(planned)), key=lambda place: (-expected[planned[place].target.key], place))
    for place in order:
        least = min(range(count), key=lambda part: (spent[part], len(parts[part]), part))
        parts[least].append(place)
        spent[least] += expected[planned[place].target.key]
    return [[planned[place] for place in sorted(part)] for part in parts]


def described(planned: Sequence[Planned], expected: Mapping[str, float], count: int) -> tuple[Shard, ...]:
    """Return what each shard has; those without a target are left out."""
    return tuple(
        Shard(
            number,
            count,
            round(sum(expected[item.target.key] for item in part), 1),
            tuple(item.target.key for item in part),
        )
        for number, part in enumerate(shards(planned, expected, count), 1)
        if part
    )
