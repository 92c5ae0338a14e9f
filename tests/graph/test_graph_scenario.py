"""Scenario files: read whole, and refused with every fault."""

from __future__ import annotations

import pytest
from graph_samples import dump, function, graph, loop, node

from adk_probe.errors import InputError
from adk_probe.graph.scenario import Answer, Crash, ToolCall, read_scenarios
from adk_probe.graph.validate import check

GRAPH = check(
    dump(graph([loop("l"), node("humanInput", "h", message="?"), function("f", "return 1")], "START>l l>h h>f")), "f"
)[0]


def test_every_key() -> None:
    turn = {
        "input": "x",
        "session": "one",
        "answers": {
            "l_generator": ["d1", {"text": "d2", "delaySeconds": 2}, {"call": {"tool": "t", "args": {"a": 1}}}],
            "l_critic": [{"json": None}],
        },
        "human": {"h": [{"a": 1}]},
        "crash": {"after": "l_critic", "pass": 2},
        "restart": True,
    }
    file = {"graph": "g", "scenarios": [{"name": "s", "description": "d", "atOnce": True, "turns": [turn]}]}
    (scenario,) = read_scenarios(dump(file), "f", GRAPH)
    made = scenario.turns[0]
    assert scenario.at_once
    assert made.answers == {
        "l_generator": ("d1", Answer(text="d2", delay_seconds=2), Answer(call=ToolCall(tool="t", args={"a": 1}))),
        "l_critic": (Answer(json=None),),
    }
    assert made.human == {"h": ({"a": 1},)}
    assert made.crash == Crash(after="l_critic", pass_=2)
    assert made.restart


def test_all_faults_at_once() -> None:
    turns = [
        {
            "input": "x",
            "answers": {"nobody": [], "l_critic": [{}, {"text": "a", "json": 1}, {"text": "a", "delaySeconds": -1}]},
            "human": {"f": []},
            "tools": {"t": []},
            "crash": {"after": "z"},
        }
    ]
    scenarios = [{"name": "s", "turns": turns}, {"name": "s", "turns": []}]
    with pytest.raises(InputError) as caught:
        read_scenarios(dump({"graph": "other", "scenarios": scenarios}), "f", GRAPH)
    assert caught.value.faults == (
        "scenario 's' is there twice",
        "s turn 1: answers.l_critic[0] needs one of text, json and call",
        "s turn 1: answers.l_critic[1] needs one of text, json and call",
        "s turn 1: answers.l_critic[2].delaySeconds is negative",
        "s turn 1: answers names 'nobody', which the graph has not",
        "s turn 1: human names 'f', which the graph has not",
        "s turn 1: tools names 't', which the graph has not",
        "s turn 1: crash.after names 'z', which the graph has not",
        "s: there is no turn",
        "these are scenarios for 'other', not for 'g'",
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"graph": 1, "scenarios": 2, "x": 3}',
        b'{"graph": "g", "scenarios": [{"name": "s", "turns": [1]}]}',
    ],
)
def test_what_is_no_scenario_file(data: bytes) -> None:
    with pytest.raises(InputError):
        read_scenarios(data, "f")


def test_an_answer_is_text_or_an_object() -> None:
    turn = {"input": "x", "answers": {"l_critic": [3]}}
    with pytest.raises(InputError, match="expected an object, got 3"):
        read_scenarios(dump({"graph": "g", "scenarios": [{"name": "s", "turns": [turn]}]}), "f")
