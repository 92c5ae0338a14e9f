"""A target's evidence in its file: nothing is lost by saying each thing once, and it stays small and readable."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import environment, target

from adk_probe.evidence.layout import ResultDocument, from_document, to_document
from adk_probe.files import to_readable_json
from adk_probe.model import RESULT_SCHEMA, CapturedWarning, Kind, Observation, Outcome, TargetResult

WARNINGS = tuple(CapturedWarning("DeprecationWarning", f"gone {number}", "probe") for number in range(3))
PROBES = (
    *("import", "sub/Thing", "fidelity", "fidelity/too/short", "fidelity/one/too/many/parts"),
    *(f"fidelity/{graph}/{way}/{name}" for graph in "gh" for way in ("flow", "loop") for name in ("a", "b")),
)
NAMES = ("pins", "python", "platform", "worker", "probe", "kit", "runner", "project", "scenario", "world")
FACTS: tuple[dict[str, Any], ...] = ({}, {"x": [1, {"y": None}]}, {"x": "ünï"})
USUAL = dict.fromkeys(NAMES, "a" * 16)
INPUTS: tuple[dict[str, str], ...] = (
    USUAL,
    {},
    {**USUAL, "project": "b" * 16},
    {**USUAL, "scenario": "b" * 16},
    {**USUAL, "kit": "b" * 16, "pins": "b"},
    {"probe": "c" * 16},
)


@st.composite
def observation(draw: st.DrawFn, probe: str) -> Observation:
    outcome = draw(st.sampled_from((Outcome.PASS, Outcome.FAIL, Outcome.ERROR)))
    return Observation(
        probe,
        outcome,
        draw(st.sampled_from(("", "as it must", "\u202e \x00 ünï"))),
        Kind.CRASH if outcome is Outcome.ERROR else None,
        draw(st.sampled_from(FACTS)),
        draw(st.sampled_from(((), WARNINGS[:1], WARNINGS[::-1]))),
        inputs=draw(st.sampled_from(INPUTS)),
    )


@st.composite
def results(draw: st.DrawFn) -> TargetResult:
    at = target()
    probes = sorted(draw(st.lists(st.sampled_from(PROBES), unique=True)))
    controls = tuple(draw(observation(name)) for name in ("control-fail", "control-pass"))
    cells = tuple(draw(observation(name)) for name in probes)
    return TargetResult(RESULT_SCHEMA, at, environment(at), None, controls, cells, resolved="2026-01-15", digest="d")


@given(result=results())
def test_nothing_is_lost(result: TargetResult) -> None:
    data = to_readable_json(to_document(result))
    assert from_document(msgspec.json.decode(data, type=ResultDocument)) == result
    assert to_readable_json(to_document(from_document(msgspec.json.decode(data, type=ResultDocument)))) == data


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=30),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=10), inner),
    max_leaves=40,
)


@given(value=json_values, width=st.integers(10, 60))
def test_readable_json_is_the_same_value_in_short_lines(value: Any, width: int) -> None:
    text = to_readable_json(value, width).decode()
    assert json.loads(text) == value
    for line in text.splitlines() if "\\" not in text and text.isprintable() else ():
        # a line is longer only where one value does not fit
        assert len(line) <= width + 2 or line.count(", ") <= 1 + line.count('"')


def test_what_cells_share_is_said_once() -> None:
    cells = tuple(
        Observation(
            f"fidelity/graph/{way}/scenario-{number:03}",
            Outcome.PASS,
            "1 turn(s) as the reference says",
            facts={"turns": 1},
            warnings=WARNINGS,
            inputs={**USUAL, "project": f"{way:0<16}", "scenario": f"{number:016x}"},
        )
        for way in ("flow", "loop", "tool")
        for number in range(100)
    )
    at = target()
    document = to_document(TargetResult(RESULT_SCHEMA, at, environment(at), cells=cells))
    assert len(document.warnings) == 3
    assert len(document.fidelity["graph"].observations) == 1
    assert len(to_readable_json(document)) < 300 * 45


def test_a_warning_that_is_not_there_is_no_evidence() -> None:
    document = to_document(TargetResult(RESULT_SCHEMA, target(), cells=(Observation("a", Outcome.PASS),)))
    entry = msgspec.structs.replace(document.claims["a"], warnings=(0,))
    with pytest.raises(ValueError, match="a references a warning that is not there"):
        from_document(msgspec.structs.replace(document, claims={"a": entry}))
