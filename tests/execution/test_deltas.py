"""Delta debugging finds a smallest set, tries none twice, and tries nothing that lacks what it needs."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from adk_probe.execution.deltas import Changes, Side, closed, minimize, with_needed, without

NAMES = tuple(f"n{number:02}" for number in range(40))


@st.composite
def needs(draw: st.DrawFn) -> tuple[tuple[str, ...], dict[str, Changes]]:
    """Return some changes and what each needs directly; circles are as good as chains."""
    names = NAMES[: draw(st.integers(1, 16))]
    return names, {name: frozenset(draw(st.sets(st.sampled_from(names), max_size=2))) for name in names}


class Trials:
    """Answers trials by a rule, and checks each."""

    def __init__(
        self, names: tuple[str, ...], direct: dict[str, Changes], rule: dict[Changes, Side], culprits: Changes
    ):
        self.names, self.direct, self.rule, self.culprits = names, direct, rule, culprits
        self.asked: list[Changes] = []

    def __call__(self, tried: Changes) -> Side:
        assert tried not in self.asked, "no set is tried twice"
        assert 0 < len(tried) < len(self.names)
        assert all(self.direct[name] <= tried for name in tried), "nothing is tried that lacks what it needs"
        self.asked.append(tried)
        return self.answer(tried)

    def answer(self, tried: Changes) -> Side:
        return self.rule.get(tried) or (Side.NEW if self.culprits <= tried else Side.OLD)


@given(needs(), st.data())
def test_it_is_the_smallest_set_with_the_culprits(
    drawn: tuple[tuple[str, ...], dict[str, Changes]], data: st.DataObject
) -> None:
    names, direct = drawn
    culprits = frozenset(data.draw(st.sets(st.sampled_from(names), min_size=1, max_size=3)))
    trials = Trials(names, direct, {}, culprits)
    assert minimize(names, closed(direct), trials) == with_needed(culprits, closed(direct))


@given(needs(), st.data())
def test_whatever_trials_say_none_can_be_left_out_of_what_it_finds(
    drawn: tuple[tuple[str, ...], dict[str, Changes]], data: st.DataObject
) -> None:
    names, direct = drawn
    every, bound = frozenset(names), closed(direct)
    rule: dict[Changes, Side] = {}

    class Whim(Trials):
        def answer(self, tried: Changes) -> Side:
            rule[tried] = data.draw(st.sampled_from(Side))
            return rule[tried]

    found = minimize(names, bound, Whim(names, direct, {}, frozenset()))
    assert found == every or rule[found] is Side.NEW
    for name in found:
        left = without(found, [name], bound)
        assert not left or rule[left] is not Side.NEW


def test_one_culprit_among_many_is_found_in_few_trials() -> None:
    direct: dict[str, Changes] = {name: frozenset() for name in NAMES}
    for name in NAMES:
        trials = Trials(NAMES, direct, {}, frozenset([name]))
        assert minimize(NAMES, closed(direct), trials) == {name}
        assert len(trials.asked) <= 4 * math.ceil(math.log2(len(NAMES)))


def test_what_is_to_be_tried_first_is_tried_first() -> None:
    direct: dict[str, Changes] = {name: frozenset() for name in NAMES}
    trials = Trials(NAMES, direct, {}, frozenset(["n30"]))
    assert minimize(NAMES, closed(direct), trials, [frozenset(["n07"]), frozenset(["n30"])]) == {"n30"}
    assert trials.asked == [frozenset(["n07"]), frozenset(["n30"])]
