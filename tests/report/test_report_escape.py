"""Text of others stays text, wherever it is put."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import HOSTILE, PATHS

from adk_probe.report.escape import code, fence, markdown, one_line, placeless, visible, xml


def test_nothing_in_hostile_text_is_markup() -> None:
    made = markdown(HOSTILE)
    assert "<script" not in made
    assert re.search(r"(?<!\\)[|`\[]", made) is None
    assert "\x1b" not in made
    assert "\u202e" not in made
    assert "@someone" not in made


def test_plain_words_stay_as_they_are() -> None:
    assert markdown("a critic (one of 2) answers: 'yes', 3.5 - no") == "a critic (one of 2) answers: 'yes', 3.5 - no"


def test_a_long_text_is_cut_at_the_limit() -> None:
    assert one_line("x" * 50, 10) == "x" * 9 + "…"
    assert one_line("x" * 10, 10) == "x" * 10


@given(st.text())
def test_a_fence_is_longer_than_any_run_of_backticks_inside(text: str) -> None:
    first, *body, last = fence(text).split("\n")
    assert first == last
    assert set(first) == {"`"}
    assert not any(first in line for line in body)


@given(st.text(alphabet="`| ab"))
def test_a_code_span_holds_its_text_and_no_bare_pipe(text: str) -> None:
    made = code(text)
    ticks = len(made) - len(made.lstrip("`"))
    assert "`" * ticks not in made[ticks:-ticks].replace("\\|", "|")
    assert re.search(r"(?<!\\)\|", made) is None


@given(st.text())
def test_what_is_left_is_fit_for_xml(text: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", xml(text))


@given(st.text())
def test_what_is_visible_can_be_written_as_utf_8(text: str) -> None:
    visible(text).encode()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (PATHS, "File site-packages/toy/loop.py, line 3; see …/out.txt, …/a"),
        ("google.adk/agents and 1/2, https://example.com/tmp/x", None),
        ('{"at": "/srv/work/a.py:3"}', '{"at": "…/a.py:3"}'),
    ],
)
def test_paths_of_the_machine_are_left_out(text: str, left: str | None) -> None:
    assert placeless(text) == (text if left is None else left)
