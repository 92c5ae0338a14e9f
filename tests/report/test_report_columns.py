"""Columns join neighbours of equal verdicts and claim nothing that was not tested."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from report_samples import target

from adk_probe.model import Lane, Target
from adk_probe.ranges import Scale
from adk_probe.report.columns import collapse

SCALE = Scale(("1.0", "1.1", "1.2", "2.0"), ("3.9", "3.10", "3.11", "3.12"))


def titles(verdicts: dict[Target, str], scale: Scale = SCALE) -> list[str]:
    return [column.title for column in collapse(verdicts, verdicts.__getitem__, scale)]


def test_pythons_are_joined_before_releases() -> None:
    verdicts = {target(release, python): "same" for release in ("1.0", "1.1") for python in ("3.9", "3.10")}
    assert titles(verdicts) == ["1.0 – 1.1, Python 3.9 – 3.10, today"]


def test_a_release_between_that_was_not_tested_is_not_claimed() -> None:
    assert titles({target("1.0"): "same", target("1.2"): "same"}) == ["1.0, 1.2, Python 3.12, today"]


def test_a_python_between_that_was_not_tested_is_not_claimed() -> None:
    assert titles({target("1.0", "3.9"): "same", target("1.0", "3.11"): "same"}) == ["1.0, Python 3.9, 3.11, today"]


def test_releases_with_a_different_one_between_are_not_joined() -> None:
    verdicts = {target("1.0"): "same", target("1.1"): "other", target("1.2"): "same"}
    assert titles(verdicts) == [f"{release}, Python 3.12, today" for release in ("1.0", "1.1", "1.2")]


def test_a_release_between_that_differs_on_other_pythons_parts_them_too() -> None:
    verdicts = {target("1.0"): "a", target("1.1"): "b", target("1.1", "3.11"): "b", target("1.2"): "a"}
    assert len(titles(verdicts)) == 3


def test_both_halves_of_a_split_continue_side_by_side() -> None:
    verdicts = {target(release, python): python for release in ("1.0", "1.1", "1.2") for python in ("3.11", "3.12")}
    assert titles(verdicts) == ["1.0 – 1.2, Python 3.11, today", "1.0 – 1.2, Python 3.12, today"]


def test_lanes_are_never_joined() -> None:
    verdicts = {target("1.0", lane=lane): "same" for lane in Lane}
    assert titles(verdicts) == ["1.0, Python 3.12, as-released", "1.0, Python 3.12, today"]


def test_where_names_targets_that_make_no_rectangle() -> None:
    where = SCALE.where([target("1.0"), target("1.1"), target("1.1", "3.11"), target("2.0", lane=Lane.AS_RELEASED)])
    assert where == "2.0 on Python 3.12, as-released; 1.0 on Python 3.12, today; 1.1 on Python 3.11 – 3.12, today"


ALL = [
    target(release, python, lane) for release, python, lane in itertools.product(SCALE.releases, SCALE.pythons, Lane)
]


@given(st.dictionaries(st.sampled_from(ALL), st.sampled_from("ab")))
def test_columns_are_a_partition_into_rectangles_of_equal_verdict(verdicts: dict[Target, str]) -> None:
    columns = collapse(verdicts, verdicts.__getitem__, SCALE)
    shown = [each for column in columns for each in column.targets]
    assert sorted(shown, key=lambda each: each.order) == sorted(verdicts, key=lambda each: each.order)
    for column in columns:
        assert len({verdicts[each] for each in column.targets}) == 1
        releases, pythons = ({getattr(each, name) for each in column.targets} for name in ("release", "python"))
        # a title reads as every release on every Python, so every one of them must have been tested
        assert len(column.targets) == len(releases) * len(pythons)
        spanned = [each for each in verdicts if each.lane is column.lane and each.release in releases]
        between = [SCALE.releases.index(release) for release in releases]
        skipped = {
            each.release
            for each in verdicts
            if each.lane is column.lane and min(between) < SCALE.releases.index(each.release) < max(between)
        }
        assert skipped <= releases
        assert spanned
