"""Whatever becomes of a good file, it is read or refused with findings, and always in the same way."""

from __future__ import annotations

import contextlib
import copy
import json
from typing import Any

import pytest
from graph_samples import FILES, old, rich
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_probe.errors import InputError
from adk_probe.graph.reading.scenario import Scenario, Turn
from adk_probe.graph.reference.interpreter import play
from adk_probe.graph.rules.validate import check

SEEDS = [rich(), old(), *(json.loads(path.read_bytes()) for path in FILES)]

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 5),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["str", "START", "", "class", "x", "a/b", "\0", "return 1", "(" * 50, "\ud800", "é", "loop"]),
    st.text(max_size=8),
    st.just([]),
    st.just({}),
    st.just({"type": "var"}),
)


def _places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [here] * bool(here) + [place for key in keys for place in _places(value[key], (*here, key))]


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """A good file with up to four changes: a value replaced, dropped, doubled or moved from elsewhere."""
    value = copy.deepcopy(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        places = _places(value)
        if not places:
            break
        place = draw(st.sampled_from(places))
        owner, key = _at(value, place[:-1]), place[-1]
        match draw(st.sampled_from(["replace", "drop", "move", "double"])):
            case "replace":
                owner[key] = copy.deepcopy(draw(VALUES))  # the drawn lists are shared
            case "drop":
                del owner[key]
            case "move":
                owner[key] = copy.deepcopy(_at(value, draw(st.sampled_from(places))))
            case "double" if isinstance(owner, list):
                owner.append(copy.deepcopy(owner[key]))
    return json.dumps(value).encode()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spoiled())
def test_spoiled_files_give_findings_and_no_traceback(data: bytes) -> None:
    graph, findings = check(data, "f")
    assert (graph is None) == bool(findings)
    assert check(data, "f")[1] == findings
    for finding in findings:
        assert finding.code.isupper()
        assert "\n" not in finding.message
    if graph is not None:
        with contextlib.suppress(InputError):  # a valid graph with a model may ask for answers
            play(graph, Scenario(name="s", turns=(Turn(input="hi"),)))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_findings(data: bytes) -> None:
    graph, findings = check(data, "f")
    assert graph is None
    assert findings


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_cutting_a_file_short_gives_findings(path: Any) -> None:
    data = path.read_bytes().rstrip()
    for end in range(0, len(data), max(1, len(data) // 40)):
        assert check(data[:end], "f")[1]
