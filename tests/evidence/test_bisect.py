"""The search over made-up histories: exact, cheap, true to the history, and nothing is asked twice."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from adk_probe.evidence.answers import Answer
from adk_probe.evidence.bisect import Bracket, Span, Step, step, turns

UNCLEAR = Answer("error (import)")
Values = list[int | None]


def said(value: int | None) -> Answer:
    return UNCLEAR if value is None else Answer("pass", True, value)


class Searched:
    """A search over a history, run to its end or for some questions."""

    def __init__(self, values: Values, span: Span, known: dict[int, Answer], most: int = 10**6) -> None:
        self.known = dict(known)
        self.asked: list[int] = []
        while (now := step(self.known, span)).ask is not None and len(self.asked) < most:
            assert now.ask not in self.known, "evidence is used before anything is asked"
            assert now.ask in span.places
            self.known[now.ask] = said(values[now.ask])
            self.asked.append(now.ask)
        self.end: Step = now


def cost(values: Values, asked: list[int]) -> int:
    """Return how many questions a history of this length may take."""
    unclear = sum(values[place] is None for place in asked)
    return 2 * math.ceil(math.log2(len(values))) + 4 + unclear


values_of_any = st.lists(st.sampled_from((0, 1, None)), min_size=2, max_size=60)
values_of_many = st.lists(st.sampled_from((0, 1, 2, 3, None)), min_size=2, max_size=60)


@st.composite
def monotone(draw: st.DrawFn) -> tuple[Values, int]:
    """Return a history that turns once, with releases that cannot tell, and the first one with the new answer."""
    count = draw(st.integers(2, 120))
    turn = draw(st.integers(1, count - 1))
    unclear = draw(st.sets(st.integers(0, count - 1), max_size=count // 3))
    return [None if place in unclear else int(place >= turn) for place in range(count)], turn


@given(monotone(), st.booleans())
def test_a_monotone_history_is_bracketed_exactly_and_cheaply(history: tuple[Values, int], fixed: bool) -> None:
    values, turn = history
    last = len(values) - 1
    old = [place for place in range(turn) if values[place] is not None]
    new = [place for place in range(turn, last + 1) if values[place] is not None]
    found = Searched(values, Span(0, last) if fixed else Span(last, 0), {})
    assert len(found.asked) <= cost(values, found.asked)
    if not (old and new):
        assert found.end.bracket is None
        return
    assert found.end.bracket == Bracket(old[-1], new[0], tuple(range(old[-1] + 1, new[0])))


@given(monotone())
def test_without_a_good_end_doubling_steps_find_the_turn_of_a_monotone_history(history: tuple[Values, int]) -> None:
    values, turn = history
    last = len(values) - 1
    found = Searched(values, Span(last), {})
    assert len(found.asked) <= cost(values, found.asked)
    old = [place for place in range(turn) if values[place] is not None]
    new = [place for place in range(turn, last + 1) if values[place] is not None]
    if found.end.bracket is not None:
        assert (found.end.bracket.older, found.end.bracket.newer) == (old[-1], new[0])
    elif old and new:
        # no release at a doubled distance from the newest one gave the old answer
        seen = {value for place in found.asked if (value := values[place]) is not None}
        assert len(seen) == 1


@st.composite
def situation(draw: st.DrawFn) -> tuple[Values, Span, dict[int, Answer]]:
    """Return any history, any span of it, and evidence of some releases."""
    values = draw(values_of_many)
    places = st.integers(0, len(values) - 1)
    bad = draw(places)
    good = draw(st.one_of(st.none(), places.filter(lambda place: place != bad)))
    evidence = draw(st.sets(places))
    return values, Span(bad, good), {place: said(values[place]) for place in evidence}


@given(situation())
def test_what_is_reported_is_a_real_turn_of_any_history(drawn: tuple[Values, Span, dict[int, Answer]]) -> None:
    values, span, evidence = drawn
    found = Searched(values, span, evidence)
    seen = {values[place] for place in span.places if place in found.known} - {None}
    bracket = found.end.bracket
    if bracket is None:
        # a span with a good end is only searched where its ends differ, or evidence does
        assert len(seen) < 2
        return
    assert {values[bracket.older], values[bracket.newer]} <= seen
    assert values[bracket.older] != values[bracket.newer]
    assert bracket.unseen == ()
    assert [values[place] for place in range(bracket.older + 1, bracket.newer)] == [None] * len(bracket.unclear)


@given(situation())
def test_a_turn_is_from_the_answer_of_the_good_end(drawn: tuple[Values, Span, dict[int, Answer]]) -> None:
    values, span, evidence = drawn
    found = Searched(values, span, evidence)
    if span.good is None or found.end.bracket is None:
        return
    told = [values[place] for place in span.places if values[place] is not None]
    ends = {values[found.end.bracket.older], values[found.end.bracket.newer]}
    assert told[-1] in ends


@given(situation())
def test_each_question_is_asked_at_most_once_and_a_finished_search_asks_nothing(
    drawn: tuple[Values, Span, dict[int, Answer]],
) -> None:
    values, span, evidence = drawn
    found = Searched(values, span, evidence)
    assert len(found.asked) == len(set(found.asked))
    assert len(found.asked) <= cost(values, found.asked)
    again = Searched(values, span, found.known)
    assert (again.asked, again.end) == ([], found.end)


@given(situation(), st.integers(0, 8))
def test_an_interruption_loses_nothing(drawn: tuple[Values, Span, dict[int, Answer]], most: int) -> None:
    values, span, evidence = drawn
    through = Searched(values, span, evidence)
    first = Searched(values, span, evidence, most)
    second = Searched(values, span, first.known)
    assert first.asked + second.asked == through.asked
    assert second.end == through.end


@given(values_of_any)
def test_a_history_that_is_known_needs_no_question_and_tells_each_turn(values: Values) -> None:
    known = {place: said(value) for place, value in enumerate(values)}
    assert Searched(values, Span(len(values) - 1), known).asked == []
    told = [value for value in values if value is not None]
    found = turns(known)
    assert len(found) == sum(one != other for one, other in itertools.pairwise(told))
    assert all(values[each.older] != values[each.newer] and not each.unseen for each in found)


def test_ends_that_agree_are_told_from_evidence_that_does_not() -> None:
    values: Values = [1, 1, 1, 0, 1, 1]
    assert Searched(values, Span(5, 0), {}).end == Step(None, None, 2)
    found = Searched(values, Span(5, 0), {3: said(0)})
    assert found.end.bracket == Bracket(3, 4)


def test_a_third_value_is_as_good_as_any_other_new_one() -> None:
    values: Values = [3, 3, 4, 4, 5, 5]
    assert Searched(values, Span(5, 0), {}).end.bracket == Bracket(1, 2)
    # with nothing named, it is about the answer of the newest release
    assert Searched(values, Span(5), {0: said(3)}).end.bracket == Bracket(3, 4)
