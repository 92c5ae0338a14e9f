"""Random examples without an engine: always valid, always playable, and of every kind."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import hypothesis
import pytest
from differential_features import ALWAYS, features
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adk_probe.differential.dice import Dice
from adk_probe.differential.flows import graphs
from adk_probe.differential.nodes import Nodes
from adk_probe.differential.scenarios import Example, examples, splits
from adk_probe.graph.ir import Schema, SchemaField
from adk_probe.graph.reading.scenario import read_scenarios
from adk_probe.graph.reference.interpreter import play
from adk_probe.graph.reference.trace import canonical, order_faults
from adk_probe.graph.rules.validate import check
from adk_probe.graph.values import fit

_CODES = """
    INPUT_MISFIT AGENT_BAD_OUTPUT BODY_FAILED ROUTER_BAD_ROUTE HUMAN_BAD_ANSWER VAR_NOT_SET LOOP_BAD_CRITIC
    LOOP_EXHAUSTED LOOP_TIMED_OUT
"""
RARE = {"VAR_NOT_SET", "ROUTER_BAD_ROUTE"}
"""Need several rare things at once."""
CODES = frozenset(_CODES.split())
QUIET = settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@QUIET
@given(graphs())
def test_graphs_are_valid(value: dict[str, Any]) -> None:
    assert check(json.dumps(value).encode(), "g")[1] == []


@QUIET
@given(examples())
def test_reference_plays_every_example(example: Example) -> None:
    assert check(example.ir_file, "g") == (example.graph, [])
    assert read_scenarios(example.scenario_file, "s", example.graph) == (example.scenario,)
    trace = play(example.graph, example.scenario)
    assert canonical(trace, example.graph) == canonical(play(example.graph, example.scenario), example.graph)
    for turn in trace.turns:
        assert turn.error is None or turn.error.code in CODES
        assert order_faults(turn.steps, example.graph) == []
        if splits(example.graph):
            assert turn.crashes == ()


@st.composite
def values(draw: st.DrawFn) -> tuple[dict[str, Any], str, list[Any]]:
    """Schemas, one of their types, and values of it."""
    nodes = Nodes(Dice(draw))
    for _ in range(2):
        nodes.schema()
    kind = nodes.kind()
    return nodes.schemas, kind, [nodes.dice.value(kind, nodes.schemas, loose=loose) for loose in (False, True)]


@QUIET
@given(values())
def test_values_fit_their_types(drawn: tuple[dict[str, Any], str, list[Any]]) -> None:
    written, kind, made = drawn
    schemas = {
        name: Schema(name=name, fields=tuple(SchemaField(**field) for field in schema["fields"]))
        for name, schema in written.items()
    }
    for value in made:
        fitting = fit(value, kind, schemas)
        assert fit(fitting, kind, schemas) == fitting


def drawn(count: int, seed: int) -> list[Example]:
    found: list[Example] = []
    quiet = settings(QUIET, max_examples=count, phases=[Phase.generate])

    @hypothesis.seed(seed)
    @quiet
    @given(examples())
    def keep(example: Example) -> None:
        found.append(example)

    keep()
    return found


def test_the_same_seed_draws_the_same() -> None:
    first, second, other = drawn(25, 7), drawn(25, 7), drawn(25, 8)
    assert [(each.ir_file, each.scenario_file) for each in first] == [
        (each.ir_file, each.scenario_file) for each in second
    ]
    assert first != other


@pytest.fixture(scope="module")
def many() -> Counter[str]:
    count: Counter[str] = Counter()
    # of many seeds: what one seed draws is much alike, and changes with the constants of the code
    for example in (each for seed in range(10) for each in drawn(70, seed)):
        count.update(features(example))
        for turn in play(example.graph, example.scenario).turns:
            count[turn.error.code if turn.error else "no error"] += 1
            count.update(turn_end.end for turn_end in turn.loops)
    return count


def test_every_feature_is_drawn(many: Counter[str]) -> None:
    assert sorted(set(ALWAYS.split()) - many.keys()) == []


def test_every_way_to_end_is_drawn(many: Counter[str]) -> None:
    assert sorted({"approved", "exhausted", "timed_out", *CODES} - RARE - many.keys()) == []
    # what fails at once tests little
    assert many["no error"] > 2 * sum(many[code] for code in CODES)
