"""The reference against traces that were worked out by hand from the contract."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from graph_samples import Json, agent, config, dump, function, graph, loop, node, old, schema, var

from adk_probe.errors import InputError
from adk_probe.graph.ir import Graph
from adk_probe.graph.reading.scenario import Answer, Crash, Scenario, ToolCall, Turn
from adk_probe.graph.reference.interpreter import play
from adk_probe.graph.reference.trace import Trace, TurnTrace, canonical, order_faults
from adk_probe.graph.rules.validate import check

END = 'return "end " + node_input'


def ready(value: Json) -> Graph:
    made, findings = check(dump(value), "f")
    assert made is not None, [str(each) for each in findings]
    return made


def turn(value: Json, **settings: Any) -> TurnTrace:
    return run(value, Turn(**{"input": "x", **settings}))[0]


def run(value: Json, *turns: Turn) -> tuple[TurnTrace, ...]:
    made = ready(value)
    trace = play(made, Scenario(name="s", turns=turns))
    for each in trace.turns:
        assert order_faults(each.steps, made) == []
    return trace.turns


def whole(value: Json, *turns: Turn) -> Any:
    made = ready(value)
    return canonical(play(made, Scenario(name="s", turns=turns)), made)["turns"]


def yes(feedback: str = "good") -> Answer:
    return Answer(json={"is_valid": True, "feedback": feedback})


def no(feedback: str = "bad") -> Answer:
    return Answer(json={"is_valid": False, "feedback": feedback})


def looped(**more: Any) -> Json:
    return graph([loop("l", **more), function("end", END)], "START>l l>end")


def answers(drafts: str, *verdicts: Any, name: str = "l") -> dict[str, Any]:
    return {f"{name}_generator": tuple(drafts.split()), f"{name}_critic": verdicts}


def test_the_whole_trace_of_a_loop_approved_on_pass_2() -> None:
    seen = whole(looped(), Turn(input="x", answers=answers("d1 d2 d3", no("more"), yes("fine"), yes())))
    bad, fine = '{"is_valid": false, "feedback": "more"}', '{"is_valid": true, "feedback": "fine"}'

    def call(agent: str, count: int, answer: str, **saw: Any) -> Json:
        return {
            "path": f"l/l_{agent}",
            "pass": count,
            "agent": f"l_{agent}",
            "instruction": "Write." if agent == "generator" else "Judge.",
            "request": "x",
            "draft": None,
            "feedback": None,
            "tool_results": [],
            "answer": answer,
            "tool": None,
            **saw,
        }

    def step(path: str, count: int | None, taken: Any, output: Any) -> Json:
        return {"path": path, "pass": count, "input": taken, "output": output, "route": None}

    assert seen == [
        {
            "session": "s",
            "turn": 1,
            "input": "x",
            "steps": [
                step("l/l_generator", 1, {"request": "x"}, "d1"),
                step("l/l_critic", 1, {"request": "x", "draft": "d1"}, {"is_valid": False, "feedback": "more"}),
                step("l/l_generator", 2, {"request": "x", "draft": "d1", "feedback": "more"}, "d2"),
                step("l/l_critic", 2, {"request": "x", "draft": "d2"}, {"is_valid": True, "feedback": "fine"}),
                step("l", None, "x", "d2"),
                step("end", None, "d2", "end d2"),
            ],
            "calls": [
                call("generator", 1, "d1"),
                call("critic", 1, bad, draft="d1"),
                call("generator", 2, "d2", draft="d1", feedback="more"),
                call("critic", 2, fine, draft="d2"),
            ],
            "callsPerAgent": {"l_critic": 2, "l_generator": 2},
            "toolUses": [],
            "loops": [{"path": "l", "pass": None, "end": "approved", "passes": 2, "feedback": "fine"}],
            "output": "end d2",
            "error": None,
            "state": {"l_feedback": "fine", "l_iterations": 2, "l_status": "approved"},
            "journal": [],
        }
    ]


@pytest.mark.parametrize(
    ("verdicts", "end", "passes", "output"),
    [
        ([yes(), yes()], "approved", 1, "end d1"),
        ([no(), no(), yes(), yes()], "approved", 3, "end d3"),
        ([no(), no(), no(), yes()], "exhausted", 3, "end d3"),
    ],
)
def test_how_a_loop_ends(verdicts: list[Any], end: str, passes: int, output: str) -> None:
    seen = turn(looped(), answers=answers("d1 d2 d3 d4", *verdicts))
    assert (seen.loops[0].end, seen.loops[0].passes, seen.output) == (end, passes, output)
    assert seen.state["l_status"] == end
    assert [call.agent for call in seen.calls] == ["l_generator", "l_critic"] * passes
    assert [step.path for step in seen.steps].count("end") == 1


def test_an_exhausted_loop_may_fail_and_names_itself() -> None:
    seen = turn(looped(onExhausted="fail"), answers=answers("d1 d2 d3", no(), no(), no("last")))
    assert seen.error is not None
    assert (seen.error.code, seen.error.path) == ("LOOP_EXHAUSTED", "l")
    assert "loop l" in seen.error.message
    assert seen.output is None
    assert [step.path for step in seen.steps][-1] == "l/l_critic"


@pytest.mark.parametrize(
    "rubbish",
    [
        "fine",
        "",
        "{",
        "null",
        "[]",
        '{"is_valid": true}',
        '{"is_valid": 1, "feedback": "x"}',
        '{"is_valid": "true", "feedback": "x"}',
        '{"is_valid": true, "feedback": null}',
        'Here it is:\n```json\n{"is_valid": true, "feedback": "x"}\n```',
        "[" * 100_000,
    ],
)
def test_a_critic_that_answers_rubbish_ends_the_run_at_once(rubbish: str) -> None:
    seen = turn(looped(), answers=answers("d1 d2 d3", rubbish, rubbish, rubbish))
    assert seen.error is not None
    assert (seen.error.code, seen.error.path) == ("LOOP_BAD_CRITIC", "l")
    assert "loop l" in seen.error.message
    assert len(seen.calls) == 2


@pytest.mark.parametrize(
    "said",
    [
        '```json\n{"is_valid": true, "feedback": "x"}\n```',
        '```\n{"is_valid": true, "feedback": "x"}\n```',
        '\n ```JSON\r\n{"is_valid": true,\n "feedback": "x"}```\n',
        ' {"is_valid": true, "feedback": "x", "score": 3} ',
    ],
)
def test_a_critic_may_fence_its_answer(said: str) -> None:
    seen = turn(looped(), answers=answers("d1", said))
    assert (seen.loops[0].end, seen.loops[0].feedback) == ("approved", "x")
    assert seen.steps[1].output == {"is_valid": True, "feedback": "x"}


def test_turns_and_sessions_start_with_a_full_count() -> None:
    three = (no(), no(), no())
    turns = run(
        looped(),
        Turn(input="a", session="one", answers=answers("a1 a2 a3", *three)),
        Turn(input="b", session="two", answers=answers("b1 b2 b3", no(), no(), yes())),
        Turn(input="c", session="one", answers=answers("c1 c2 c3", no(), no(), yes())),
    )
    assert [(each.session, each.number, each.output) for each in turns] == [
        ("one", 1, "end a3"),
        ("two", 1, "end b3"),
        ("one", 2, "end c3"),
    ]
    assert [each.loops[0].end for each in turns] == ["exhausted", "approved", "approved"]
    first = turns[2].calls[0]
    assert (first.request, first.draft, first.feedback) == ("c", None, None)


def test_a_loop_of_0_1_with_a_reviser() -> None:
    def status(text: str, feedback: str) -> Answer:
        return Answer(json={"status": text, "feedback": feedback})

    said = {
        "write_generator": ("d1",),
        "write_critic": (status("ok", "f1"), status(" OK\n", "f2")),
        "write_reviser": ("d2",),
    }
    seen = turn(old(), answers=said)
    assert [(call.agent, call.request, call.draft, call.feedback) for call in seen.calls] == [
        ("write_generator", "x", None, None),
        ("write_critic", "x", "d1", None),
        ("write_reviser", "x", "d1", "f1"),
        ("write_critic", "x", "d2", None),
    ]
    assert (seen.output, seen.loops[0].end) == ("d2", "approved")


def test_a_structured_draft_is_made_whole() -> None:
    value = looped(generator=config("Write.", outputSchemaRef="D"))
    value["nodes"][1]["config"] |= {"inputType": "D", "body": "return f'{node_input.a}{node_input.n + 1}'"}
    value["schemas"] = [schema("D", a="str", n={"type": "int", "default": 1}, o={"type": "str", "optional": True})]
    said = answers("", yes())
    said["l_generator"] = ('```json\n{"a": "x", "else": 1}\n```',)
    seen = turn(value, answers=said)
    assert seen.steps[2].output == {"a": "x", "n": 1, "o": None}
    assert seen.output == "x2"
    said["l_generator"] = ('{"a": 1}',)
    failed = turn(value, answers=said)
    assert failed.error is not None
    assert (failed.error.code, failed.error.path) == ("AGENT_BAD_OUTPUT", "l/l_generator")


def _late(said: Any, seconds: float) -> Answer:
    if isinstance(said, str):
        return Answer(text=said, delay_seconds=seconds)
    return Answer(json=said.json, delay_seconds=seconds)


def test_time_passes_during_a_revision() -> None:
    said = answers("d1", no("f1"), yes())
    said["l_generator"] = ("d1", _late("d2", 2.5))
    seen = turn(looped(timeoutSeconds=2), answers=said)
    assert (seen.loops[0].end, seen.loops[0].passes, seen.loops[0].feedback) == ("timed_out", 2, "f1")
    assert seen.output == "end d1"
    assert seen.state == {"l_status": "timed_out", "l_iterations": 2, "l_feedback": "f1"}
    assert [(call.agent, call.answer is None) for call in seen.calls] == [
        ("l_generator", False),
        ("l_critic", False),
        ("l_generator", True),
    ]


def test_time_adds_up_and_is_enough_to_the_end() -> None:
    said = {"l_generator": (_late("d1", 0.1),), "l_critic": (_late(yes(), 0.2),)}
    assert turn(looped(timeoutSeconds=0.3), answers=said).loops[0].end == "approved"
    said["l_critic"] = (_late(yes(), 0.21),)
    seen = turn(looped(timeoutSeconds=0.3), answers=said)
    assert (seen.loops[0].end, seen.output, seen.loops[0].feedback) == ("timed_out", "end d1", "")


def test_time_passes_before_there_is_a_draft() -> None:
    seen = turn(looped(timeoutSeconds=1), answers={"l_generator": (_late("d1", 2),)})
    assert seen.error is not None
    assert (seen.error.code, seen.error.path) == ("LOOP_TIMED_OUT", "l")


def test_a_loop_that_may_fail_fails_when_its_time_is_up() -> None:
    said = {"l_generator": ("d1",), "l_critic": (_late(yes(), 2),)}
    seen = turn(looped(timeoutSeconds=1, onExhausted="fail"), answers=said)
    assert seen.error is not None
    assert seen.error.code == "LOOP_TIMED_OUT"


def test_each_loop_has_its_own_time() -> None:
    value = graph([loop("a", timeoutSeconds=1), loop("b", timeoutSeconds=1)], "START>a a>b")
    said = {
        "a_generator": (_late("a1", 0.9),),
        "a_critic": (yes(),),
        "b_generator": (_late("b1", 0.9),),
        "b_critic": (yes(),),
    }
    assert [each.end for each in turn(value, answers=said).loops] == ["approved", "approved"]


def test_a_crash_changes_nothing() -> None:
    said = answers("d1 d2 d3", no(), yes())
    plain = whole(looped(), Turn(input="x", answers=said))
    for crash in (Crash(after="l_critic", pass_=1), Crash(after="l_generator", pass_=2), Crash(after="l")):
        assert whole(looped(), Turn(input="x", answers=said, crash=crash)) == plain


def test_a_crash_that_is_never_reached_is_a_fault_of_the_scenario() -> None:
    with pytest.raises(InputError, match="never reached"):
        turn(looped(), answers=answers("d1", yes()), crash=Crash(after="l_critic", pass_=2))


def test_an_answer_that_is_missing_is_a_fault_of_the_scenario() -> None:
    with pytest.raises(InputError, match="l_critic has 1 entries"):
        turn(looped(), answers=answers("d1 d2", no()))


def test_leftover_answers_show() -> None:
    seen = turn(looped(), answers=answers("d1 d2", yes(), yes(), yes()))
    assert seen.leftover == {"l_critic": 2, "l_generator": 1}


# ------------------------------------------------------------------ the other nodes


def routed(body: str | None, **settings: Any) -> Json:
    nodes = [
        node("router", "r", routes=["a", "b"], body=body, **settings),
        function("fa", 'return "a:" + node_input'),
        function("fb", 'return "b:" + node_input'),
        function("end", END),
    ]
    return graph(nodes, "START>r r:a>fa r:b>fb fa>end fb>end")


def test_a_router_hands_on_its_own_input() -> None:
    seen = turn(routed('return "b" if node_input == "x" else "a"', inputType="str"))
    assert [(step.path, step.input, step.output, step.route) for step in seen.steps] == [
        ("r", "x", "x", "b"),
        ("fb", "x", "b:x", None),
        ("end", "b:x", "end b:x", None),
    ]
    assert turn(routed(None)).output == "end a:x"


@pytest.mark.parametrize("body", ['return "c"', "return None", "return 1", "pass"])
def test_a_route_that_is_none_fails(body: str) -> None:
    seen = turn(routed(body))
    assert seen.error is not None
    assert (seen.error.code, seen.error.path) == ("ROUTER_BAD_ROUTE", "r")


def test_a_join_hands_on_a_dict_by_name() -> None:
    nodes = [
        function("one", 'return "1"'),
        function("two", "return 2", gives="int"),
        node("join", "j"),
        function("end", "return str(node_input)"),
    ]
    value = graph(nodes, "START>two START>one two>j one>j j>end")
    seen = turn(value)
    assert seen.output == "{'two': 2, 'one': '1'}"
    assert [step.path for step in seen.steps] == ["one", "two", "j", "end"]


def test_a_join_s_dict_can_be_a_schema_and_is_text_for_agents() -> None:
    nodes = [
        function("one", 'return "1"'),
        function("two", "return 2", gives="int"),
        node("join", "j"),
        function("typed", "return node_input.one * node_input.two", takes="Both"),
        agent("told", "Sum up."),
        node("join", "k"),
    ]
    value = graph(nodes, "START>one START>two one>j two>j j>typed j>told typed>k told>k")
    value["schemas"] = [schema("Both", one="str", two="int")]
    seen = turn(value, answers={"told": ("so",)})
    assert seen.calls[0].request == '{"one": "1", "two": 2}'
    assert seen.output == {"typed": "11", "told": "so"}


def test_several_terminals_give_a_dict_and_one_its_value() -> None:
    value = graph([function("a", 'return "1"'), function("b", 'return "2"')], "START>a START>b")
    assert turn(value).output == {"a": "1", "b": "2"}
    value = routed('return "a"')
    value["edges"] = value["edges"][:-2]
    value["nodes"].pop()
    assert turn(value).output == "a:x"


def test_a_nested_graph_is_one_step() -> None:
    inner = graph([function("in1", 'return node_input + "1"'), loop("in2")], "START>in1 in1>in2", name="inner")
    value = graph([node("workflow", "w", graph=inner), function("end", END)], "START>w w>end")
    seen = turn(value, answers=answers("d1", yes(), name="in2"))
    assert [(step.path, step.input, step.output) for step in seen.steps if step.pass_ is None] == [
        ("w/in1", "x", "x1"),
        ("w/in2", "x1", "d1"),
        ("w", "x", "d1"),
        ("end", "d1", "end d1"),
    ]
    assert seen.steps[1].path == "w/in2/in2_generator"


def test_what_agents_take_and_hand_on() -> None:
    nodes = [
        agent("a", "Say.", outputSchemaRef="T"),
        agent("b", "On ", var("T", "n", "a"), "/", var("T", "t", "a"), ": {t}", inputSchemaRef="T"),
        agent("c", "As of ", var("T", "t", "a", "state"), var("T", "o", "a", "state"), "."),
    ]
    value = graph(nodes, "START>a a>b b>c")
    value["schemas"] = [schema("T", t="str", n={"type": "float", "default": 2}, o={"type": "bool", "optional": True})]
    seen = turn(value, answers={"a": (Answer(json={"t": "{x}é"}),), "b": ("b says",), "c": ("c says",)})
    assert [(call.instruction, call.request) for call in seen.calls] == [
        ("Say.", "x"),
        ("On 2.0/{x}é: {t}", {"t": "{x}é", "n": 2.0, "o": None}),
        ("As of {x}énull.", "b says"),
    ]
    failed = turn(value, answers={"a": ("prose",)})
    assert failed.error is not None
    assert (failed.error.code, failed.error.path) == ("AGENT_BAD_OUTPUT", "a")


def test_a_structured_value_is_text_for_an_agent_without_a_schema() -> None:
    nodes = [function("f", "return T(t=node_input)", gives="T"), agent("a", "Say.")]
    value = graph(nodes, "START>f f>a", schemas=[schema("T", t="str", n={"type": "int", "default": 1})])
    assert turn(value, answers={"a": ("so",)}).calls[0].request == '{"t": "x", "n": 1}'


def test_text_is_read_as_json_where_a_schema_is_wanted() -> None:
    value = graph([function("f", "return node_input.t", takes="T")], "START>f", schemas=[schema("T", t="str")])
    assert turn(value, input='{"t": "in"}').output == "in"
    seen = turn(value, input="in")
    assert seen.error is not None
    assert (seen.error.code, seen.error.path) == ("INPUT_MISFIT", "f")


def test_state_lasts_from_turn_to_turn_in_one_session() -> None:
    nodes = [
        node("router", "r", routes=["new", "old"], body='return "new" if node_input == "new" else "old"'),
        function("make", "return T(t=node_input)", gives="T"),
        function("keep", "return node_input"),
        agent("a", "On ", var("T", "t", "make", "state"), "."),
    ]
    value = graph(nodes, "START>r r:new>make r:old>keep make>a keep>a", schemas=[schema("T", t="str")])
    turns = run(
        value,
        Turn(input="new", answers={"a": ("1",)}),
        Turn(input="other", answers={"a": ("2",)}),
        Turn(input="other", session="b", answers={"a": ("3",)}),
    )
    assert [call.instruction for each in turns[:2] for call in each.calls] == ["On new.", "On new."]
    assert turns[2].error is not None
    assert (turns[2].error.code, turns[2].error.path) == ("VAR_NOT_SET", "a")


def test_a_person_s_answer_is_the_output() -> None:
    nodes = [
        node("humanInput", "h", message="?", payloadRef="T", responseSchemaRef="int"),
        function("f", "return node_input + 1", "int", "int"),
    ]
    value = graph(nodes, "START>h h>f", schemas=[schema("T", t="str")])
    seen = turn(value, input='{"t": "a"}', human={"h": (4,)})
    assert (seen.pauses, seen.steps[0].input, seen.output) == (("h",), {"t": "a"}, 5)
    assert turn(value, input='{"t": "a"}', human={"h": ("4",)}).output == 5
    bad = turn(value, input='{"t": "a"}', human={"h": ("four",)})
    assert bad.error is not None
    assert bad.error.code == "HUMAN_BAD_ANSWER"
    text = graph([node("humanInput", "h", message="?")], "START>h")
    assert turn(text, human={"h": ({"a": 1},)}).output == '{"a": 1}'


def test_tools_of_agents() -> None:
    value = graph(
        [agent("a", "Go.", tools=["add", "box", "imp", "bad"]), node("tool", "box", inputType="T", outputType="str")],
        "START>a",
        schemas=[schema("T", t="str")],
        tools=[
            {
                "name": "add",
                "description": "",
                "parameters": [{"name": "p", "type": "T"}, {"name": "q", "type": "int", "default": None}],
                "returns": "str",
                "body": "return p.t + str(q)",
            },
            {"name": "imp", "description": "", "returns": "int", "import": "m:f"},
            {"name": "bad", "description": "", "returns": "int", "body": "return 'text'"},
        ],
    )

    def call(tool: str, **args: Any) -> Answer:
        return Answer(call=ToolCall(tool=tool, args=args))

    said = (call("add", p={"t": "v"}), call("box", node_input={"t": "v"}), call("imp"), "done")
    seen = turn(value, answers={"a": said}, tools={"imp": (7,)})
    assert [(use.tool, use.args, use.result) for use in seen.tool_uses] == [
        ("add", {"p": {"t": "v"}, "q": None}, "vNone"),
        ("box", {"node_input": {"t": "v"}}, ""),
        ("imp", {}, 7),
    ]
    assert [(each.tool, each.tool_results) for each in seen.calls] == [
        ("add", ()),
        ("box", ("vNone",)),
        ("imp", ("vNone", "")),
        (None, ("vNone", "", 7)),
    ]
    with pytest.raises(InputError, match="imp has 0 entries"):
        turn(value, answers={"a": (call("imp"),)})


def test_a_call_that_goes_wrong_is_told_to_the_model() -> None:
    tools = [
        {"name": "misfit", "description": "", "returns": "int", "body": "return 'text'"},
        {"name": "raises", "description": "", "returns": "int", "body": "return 1 // 0"},
    ]
    value = graph([agent("a", "Go.", tools=["misfit", "raises"])], "START>a", tools=tools)
    wishes = [ToolCall(tool=name) for name in ("misfit", "raises", "rm")]
    wishes.insert(1, ToolCall(tool="raises", args={"x": 1}))
    seen = turn(value, answers={"a": (*(Answer(call=wish) for wish in wishes), "done")})
    assert (seen.error, seen.output, seen.tool_uses) == (None, "done", ())
    assert seen.calls[-1].tool_results == (
        {"error": "misfit failed: its result is not of its type"},
        {"error": "raises has no parameter x"},
        {"error": "raises failed: ZeroDivisionError: integer division or modulo by zero"},
        {"error": "there is no tool rm; there are misfit, raises"},
    )
    assert [entry["decision"] for entry in seen.journal] == ["failed", "rejected", "failed", "unknown"]


@pytest.mark.parametrize(
    ("kind", "stub"),
    [
        ("str", ""),
        ("int", 0),
        ("float", 0.0),
        ("bool", False),
        ("date", "1970-01-01"),
        ("datetime", "1970-01-01T00:00:00"),
        ("T", {"s": "", "n": 3, "o": None, "u": {"d": "1970-01-01"}}),
    ],
)
def test_stubs(kind: str, stub: Any) -> None:
    value = graph([function("f", gives=kind)], "START>f")
    inner = schema("U", d="date")
    value["schemas"] = [
        schema("T", s="str", n={"type": "int", "default": 3}, o={"type": "str", "optional": True}, u="U"),
        inner,
    ]
    assert turn(value).output == stub


@pytest.mark.parametrize(
    "body",
    [
        "return 1",
        "return None",
        "pass",
        "raise ValueError('no')",
        "return node_input.field",
        "import os\nreturn ''",
        "return open('/')",
    ],
)
def test_bodies_that_fail(body: str) -> None:
    seen = turn(graph([function("f", body)], "START>f"))
    assert seen.error is not None
    assert (seen.error.code, seen.error.path) == ("BODY_FAILED", "f")


# ------------------------------------------------------------------ the canonical form


def _branches(first: str, second: str) -> Json:
    nodes = [function("a", first), function("b", second), node("join", "j")]
    return graph(nodes, "START>a START>b a>j b>j")


def test_of_a_failed_turn_only_what_led_to_it_is_kept() -> None:
    seen = whole(_branches('return "1"', "return 2"), Turn(input="x"))[0]
    assert seen["error"] == {"code": "BODY_FAILED", "path": "b"}
    assert seen["steps"] == []


def test_the_order_of_branches_is_none_of_the_trace() -> None:
    made = ready(_branches('return "1"', 'return "2"'))
    trace = play(made, Scenario(name="s", turns=(Turn(input="x"),)))
    steps = trace.turns[0].steps
    swapped = (steps[1], steps[0], steps[2])
    assert order_faults(swapped, made) == []
    assert order_faults((steps[2], steps[0], steps[1]), made) == ["a came after j", "b came after j"]
    other = Trace(turns=(msgspec.structs.replace(trace.turns[0], steps=swapped),))
    assert canonical(other, made) == canonical(trace, made)


def test_the_order_of_passes_is_one_of_the_trace() -> None:
    value = looped()
    steps = turn(value, answers=answers("d1 d2", no(), yes())).steps
    assert order_faults(steps[::-1], ready(value))
    assert order_faults((steps[2], steps[0]), ready(value)) == ["l/l_generator came after l/l_generator"]
