"""Shards hold every target once, cost about the same, and are the same on every machine."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from adk_probe.evidence import sharding
from adk_probe.model import Fault, Lane, Outcome, RunRecord, Target
from adk_probe.project.plan import Planned


def planned(number: int, fault: bool = False, engine: str = "one") -> Planned:
    why = Fault(Outcome.UNSUPPORTED, "no") if fault else None
    return Planned(Target(engine, f"1.{number}", "3.12", Lane.TODAY), "", (), why)


@given(st.lists(st.floats(0.1, 500), max_size=30), st.integers(1, 8), st.randoms())
def test_every_target_once_and_no_shard_much_dearer(seconds: list[float], count: int, dice: random.Random) -> None:
    items = [planned(number) for number in range(len(seconds))]
    expected = {item.target.key: each for item, each in zip(items, seconds, strict=True)}
    parts = sharding.shards(items, expected, count)
    assert sorted(item.target.key for part in parts for item in part) == sorted(expected)
    spent = [sum(expected[item.target.key] for item in part) for part in parts]
    # what greedy distribution promises: no part is above the mean by more than the dearest target
    assert max(spent) <= sum(spent) / count + max(seconds, default=0) + 1e-6
    for part in parts:
        assert part == sorted(part, key=items.index)
    mixed = dict(dice.sample(list(expected.items()), len(expected)))
    assert sharding.shards(items, mixed, count) == parts


def test_what_was_never_run_costs_what_others_of_its_engine_do() -> None:
    items = [planned(1), planned(2), planned(3), planned(4, fault=True), planned(5, engine="two")]
    records = {
        items[0].target.key: RunRecord(seconds={"import": 1.0, "probes": 9.0}),
        items[1].target.key: RunRecord(seconds={"import": 10.0, "probes": 20.0}),
    }
    expected = sharding.costs(items, records)
    assert list(expected.values()) == [10.0, 30.0, 20.0, 0.0, sharding.UNKNOWN_SECONDS]
