"""Scenario files: read whole, and refused with every fault."""

from __future__ import annotations

import pytest
from graph_samples import Json, agent, dump, function, graph, loop, node

from adk_probe.errors import InputError
from adk_probe.graph.reading.scenario import Answer, Crash, ToolCall, read_scenario_file, read_scenarios
from adk_probe.graph.rules.validate import check

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
        "roles": ["admin", "x"],
        "dryRun": True,
    }
    written = {"name": "s", "description": "d", "atOnce": True, "turns": [turn], "world": {"things": [1]}}
    read = read_scenario_file(dump({"graph": "g", "world": "shelf", "scenarios": [written]}), "f", GRAPH)
    assert read.world == "shelf"
    (scenario,) = read.scenarios
    assert scenario.world == {"things": [1]}
    made = scenario.turns[0]
    assert scenario.at_once
    assert made.answers == {
        "l_generator": ("d1", Answer(text="d2", delay_seconds=2), Answer(call=ToolCall(tool="t", args={"a": 1}))),
        "l_critic": (Answer(json=None),),
    }
    assert made.human == {"h": ({"a": 1},)}
    assert made.crash == Crash(after="l_critic", pass_=2)
    assert made.restart
    assert (made.roles, made.dry_run) == (("admin", "x"), True)


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
        "scenario 's' appears more than once; rename one",
        "s turn 1: answers.l_critic[0] needs exactly one of text, json, call and calls",
        "s turn 1: answers.l_critic[1] needs exactly one of text, json, call and calls",
        "s turn 1: answers.l_critic[2].delaySeconds must not be negative",
        "s turn 1: answers names 'nobody', which the graph does not have",
        "s turn 1: human names 'f', which the graph does not have",
        "s turn 1: tools names 't', which the graph does not have",
        "s turn 1: crash.after names 'z', which the graph does not have",
        "s: turns is empty; add at least one",
        "these scenarios are for the graph 'other', not for 'g'; correct graph",
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
    with pytest.raises(InputError, match="expected an object, not 3"):
        read_scenarios(dump({"graph": "g", "scenarios": [{"name": "s", "turns": [turn]}]}), "f")


# ------------------------------------------------------------------ tools, people and roles


def _faults(*turns: Json, graph: object = GRAPH) -> tuple[str, ...]:
    """The faults of a scenario with these turns; none if it is good."""
    scenario = {"name": "s", "turns": [{"input": "x", **turn} for turn in turns]}
    try:
        read_scenarios(dump({"graph": "g", "scenarios": [scenario]}), "f", graph)  # type: ignore[arg-type]
    except InputError as error:
        return error.faults
    return ()


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"delaySeconds": 1},
        {"calls": []},
        {"text": "", "json": None},
        {"text": "a", "call": {"tool": "t"}},
        {"json": 1, "calls": [{"tool": "t"}]},
        {"call": {"tool": "t"}, "calls": [{"tool": "t"}]},
    ],
)
def test_an_answer_says_one_thing(answer: Json) -> None:
    assert _faults({"answers": {"l_critic": [answer]}}) == (
        "s turn 1: answers.l_critic[0] needs exactly one of text, json, call and calls",
    )


@pytest.mark.parametrize(
    ("answer", "wishes"),
    [
        ({"text": ""}, ()),
        ({"json": None}, ()),
        ({"call": {"tool": "t"}}, (ToolCall(tool="t"),)),
        ({"calls": [{"tool": "t", "args": {"a": 1}}]}, (ToolCall(tool="t", args={"a": 1}),)),
        ({"calls": [{"tool": "t"}, {"tool": "u"}], "delaySeconds": 2}, (ToolCall(tool="t"), ToolCall(tool="u"))),
    ],
)
def test_what_an_answer_wishes_for(answer: Json, wishes: tuple[ToolCall, ...]) -> None:
    file = {"graph": "g", "scenarios": [{"name": "s", "turns": [{"input": "x", "answers": {"l_critic": [answer]}}]}]}
    made = read_scenarios(dump(file), "f", GRAPH)[0].turns[0].answers["l_critic"][0]
    assert isinstance(made, Answer)
    assert made.wishes == wishes


def test_a_person_confirms_only_what_must_be_confirmed() -> None:
    names = ("free", "guarded", "asked")
    guards: tuple[Json, ...] = ({}, {"guard": {"destructive": True}}, {"guard": {"confirm": True}})
    tools = [
        {"name": name, "description": "", "returns": "str", **guard} for name, guard in zip(names, guards, strict=True)
    ]
    boxes = [
        node("tool", f"box_{name}", inputType="str", outputType="str", **guard)
        for name, guard in zip(names, guards, strict=True)
    ]
    nodes = [agent("a", "Go.", tools=[*names, *(f"box_{name}" for name in names)]), *boxes]
    made = check(dump(graph(nodes, "START>a", tools=tools)), "f")[0]
    assert made is not None
    assert _faults({"confirm": {"asked": [True], "box_asked": [False, True]}}, graph=made) == ()
    rows = {name: [True] for name in (*names, *(f"box_{name}" for name in names), "nobody", "a")}
    assert _faults({"confirm": rows}, graph=made) == tuple(
        f"s turn 1: confirm names {name!r}, which is not a tool that a person must confirm"
        for name in ("a", "box_free", "box_guarded", "free", "guarded", "nobody")
    )


@pytest.mark.parametrize("answers", [[1], ["yes"], [None], True])
def test_a_person_says_yes_or_no(answers: object) -> None:
    assert len(_faults({"confirm": {"asked": answers}})) == 1


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ({"roles": ["admin"]}, {}),
        ({}, {"roles": []}),
        ({"roles": ["admin"]}, {"roles": ["viewer"]}),
        ({"dryRun": True}, {}),
        ({}, {"dryRun": True}),
    ],
)
def test_a_session_s_user_stays_who_it_is(first: Json, later: Json) -> None:
    other = {"session": "other", **later}
    assert _faults(first, first, other, other) == ()
    assert _faults(first, other, later, first) == (
        "s turn 3: roles and dryRun must be the same in all turns of a session",
    )
