"""A range never claims a release that was not tested, and covers every one that was."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from adk_probe import ranges

VERSIONS = st.builds(
    lambda numbers, tail: ".".join(map(str, numbers)) + tail,
    st.lists(st.integers(0, 12), min_size=1, max_size=3),
    st.sampled_from(["", "a1", "rc2", ".dev1", ".post1"]),
)
RELEASES = st.lists(VERSIONS, min_size=1, max_size=15, unique_by=Version)


def claimed(text: str, known: list[str]) -> set[str]:
    """Return every known version that a text claims."""
    found = set()
    for part in text.split(", ") if text else []:
        first, _, last = part.partition(" – ")
        low, high = Version(first), Version(last or first)
        found |= {version for version in known if low <= Version(version) <= high}
    return found


@given(known=RELEASES, data=st.data())
def test_claims_exactly_what_was_tested(known: list[str], data: st.DataObject) -> None:
    tested = data.draw(st.lists(st.sampled_from(known), unique=True))
    assert claimed(ranges.words(tested, known), known) == set(tested)


@given(known=RELEASES, others=RELEASES, data=st.data())
def test_versions_that_are_not_known_are_covered_too(known: list[str], others: list[str], data: st.DataObject) -> None:
    every = list({Version(version): version for version in [*known, *others]}.values())
    tested = data.draw(st.lists(st.sampled_from(every), unique=True))
    listed = [version for version in known if version in every]
    assert claimed(ranges.words(tested, listed), every) >= set(tested)
    assert claimed(ranges.words(tested, listed), listed) <= set(tested)


@given(known=RELEASES)
def test_shortest_words(known: list[str]) -> None:
    text = ranges.words(known, known)
    ordered = sorted(known, key=Version)
    assert text == (ordered[0] if len(ordered) == 1 else f"{ordered[0]} – {ordered[-1]}")


def test_pythons_are_ordered_by_number() -> None:
    assert ranges.words(["3.9", "3.10", "3.11"], ["3.9", "3.10", "3.11", "3.12"]) == "3.9 – 3.11"
    assert ranges.words([], ["3.9"]) == ""


@given(items=st.lists(st.integers(0, 3)))
def test_neighbours(items: list[int]) -> None:
    groups = ranges.neighbours(items, lambda item: item % 2)
    assert [item for group in groups for item in group] == items
    assert all(len({item % 2 for item in group}) == 1 for group in groups)
    assert all(one[-1] % 2 != other[0] % 2 for one, other in itertools.pairwise(groups))
