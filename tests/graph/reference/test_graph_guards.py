"""Guards of tools in the reference: who may, what is asked first, what is only planned, and the journal of it all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from graph_samples import Json, agent, config, dump, function, graph, loop, node, old, schema

from adk_probe.errors import InputError
from adk_probe.graph import guards
from adk_probe.graph.ir import Graph, Guard
from adk_probe.graph.reading.scenario import Answer, Scenario, ToolCall, Turn
from adk_probe.graph.reference.interpreter import play, roles_of
from adk_probe.graph.reference.trace import Call, TurnTrace, canonical
from adk_probe.graph.rules.validate import check

Answers = dict[str, tuple[str | Answer, ...]]
WHAT = [{"name": "what", "type": "str"}, {"name": "times", "type": "int", "default": 1}]
BODY = 'return what + ":" + str(times)'
UNASKED = {"refused": "t needs a person's confirmation, and nobody can be asked for it here"}


def ready(value: Json) -> Graph:
    made, findings = check(dump(value), "f")
    assert made is not None, [str(each) for each in findings]
    return made


def run(value: Json, *turns: Turn, asks: bool = True) -> tuple[TurnTrace, ...]:
    return play(ready(value), Scenario(name="s", turns=turns), asks=asks).turns


def tool(name: str, body: str | None = BODY, returns: str = "str", parameters: Any = WHAT, **guard: Any) -> Json:
    made = {"name": name, "description": "", "parameters": parameters, "returns": returns, "body": body}
    return {**made, "guard": guard} if guard else made


def guarded(*tools: Json) -> Json:
    """An agent ``a`` with these tools."""
    return graph([agent("a", "Go.", tools=[each["name"] for each in tools])], "START>a", tools=list(tools))


def wish(name: str, **args: Any) -> ToolCall:
    return ToolCall(tool=name, args=args)


def asked(*wishes: ToolCall) -> tuple[Answer | str, ...]:
    """An agent that wishes for one thing after the other, and then says ``done``."""
    return (*(Answer(call=each) for each in wishes), "done")


def one(guard: Json, asks: bool = True, args: Json | None = None, **settings: Any) -> tuple[Any, list[Json], TurnTrace]:
    """Return what the model reads about one call of the tool ``t``, and the journal's entries."""
    given = {"what": "x"} if args is None else args
    turn = Turn(**{"input": "go", "answers": {"a": asked(wish("t", **given))}, **settings})
    (seen,) = run(guarded(tool("t", **guard)), turn, asks=asks)
    assert (seen.error, seen.output) == (None, "done")
    return seen.calls[-1].tool_results[0], [dict(entry) for entry in seen.journal], seen


def entry(decision: str, result: Any, **more: Any) -> Json:
    return {
        "user": "s",
        "roles": ["operator"],
        "agent": "a",
        "pass": None,
        "tool": "t",
        "arguments": {"what": "x", "times": 1},
        "decision": decision,
        "result": result,
        **more,
    }


# ------------------------------------------------------------------ one decision each


def test_who_may_runs_it() -> None:
    for guard in ({}, {"role": "viewer"}, {"role": "operator"}, {"destructive": True}):
        told, journal, seen = one(guard, roles=("operator",))
        assert told == "x:1"
        assert journal == [entry("ran", "x:1")]
        assert [(use.tool, use.args, use.result) for use in seen.tool_uses] == [("t", {"what": "x", "times": 1}, "x:1")]


def test_who_may_not_is_refused_before_anything_else() -> None:
    text = {"refused": "t needs the role admin; the user has operator"}
    guard = {"role": "admin", "destructive": True, "confirm": True}
    told, journal, seen = one(guard, args={"nonsense": 1}, roles=("operator",), dry_run=True)
    assert told == text
    # what the model gave, as it gave it
    assert journal == [entry("refused", text, arguments={"nonsense": 1})]
    assert (seen.tool_uses, seen.pauses) == ((), ())


def test_who_has_no_role_at_all_is_told_so() -> None:
    text = {"refused": "t needs the role operator; the user has none"}
    told, journal, _ = one({"destructive": True}, roles=())
    assert told == text
    assert journal == [entry("refused", text, roles=[], arguments={"what": "x"})]


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        ({}, "t needs what"),
        ({"times": 2}, "t needs what"),
        ({"what": 1}, "the argument what of t has the wrong type"),
        ({"what": "x", "times": "2"}, "the argument times of t has the wrong type"),
        ({"what": "x", "times": True}, "the argument times of t has the wrong type"),
        ({"what": "x", "times": None}, "the argument times of t has the wrong type"),
        ({"what": 1, "zeal": 1, "haste": 1}, "t has no parameter haste"),
    ],
)
def test_wrong_arguments_are_rejected_and_nobody_is_asked(args: Json, fault: str) -> None:
    told, journal, seen = one({"confirm": True, "destructive": True}, args=args, roles=("operator",), dry_run=True)
    assert told == {"error": fault}
    assert journal == [entry("rejected", {"error": fault}, arguments=args)]
    assert (seen.tool_uses, seen.pauses) == ((), ())


def test_in_a_dry_run_what_is_destructive_is_planned_and_nobody_is_asked() -> None:
    text = {"planned": "dry run: t is not executed"}
    for asks in (True, False):
        told, journal, seen = one({"destructive": True, "confirm": True}, asks, roles=("operator",), dry_run=True)
        assert told == text
        assert journal == [entry("planned", text)]
        assert (seen.tool_uses, seen.pauses) == ((), ())


def test_in_a_dry_run_all_else_goes_on() -> None:
    told, journal, _ = one({"role": "operator"}, roles=("operator",), dry_run=True)
    assert (told, journal) == ("x:1", [entry("ran", "x:1")])
    told, journal, _ = one({"destructive": True}, roles=("operator",))
    assert (told, journal) == ("x:1", [entry("ran", "x:1")])


def test_a_person_says_yes() -> None:
    told, journal, seen = one({"confirm": True}, roles=("operator",), confirm={"t": (True,)})
    assert told == "x:1"
    assert journal == [entry("asked", None), entry("ran", "x:1")]
    assert (seen.pauses, len(seen.tool_uses)) == (("a",), 1)


def test_a_person_says_no() -> None:
    text = {"refused": "a person has denied t"}
    told, journal, seen = one({"confirm": True}, roles=("operator",), confirm={"t": (False,)})
    assert told == text
    assert journal == [entry("asked", None), entry("denied", text)]
    assert (seen.pauses, seen.tool_uses) == (("a",), ())


def test_where_nobody_can_be_asked_it_is_refused() -> None:
    told, journal, seen = one({"confirm": True}, asks=False, roles=("operator",), confirm={"t": (True,)})
    assert told == UNASKED
    assert journal == [entry("refused", UNASKED)]
    assert (seen.pauses, seen.tool_uses) == ((), ())


def test_a_person_whose_answer_is_missing_is_a_fault_of_the_scenario() -> None:
    with pytest.raises(InputError, match=r"confirm\.t has 0 entries"):
        one({"confirm": True}, confirm={})


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("raise ValueError('no ' + what)", "ValueError: no x"),
        ("return 1", "its result is not of its type"),
        ("return None", "its result is not of its type"),
    ],
)
def test_what_fails_is_told_and_the_run_goes_on(body: str, why: str) -> None:
    turn = Turn(input="go", roles=("operator",), answers={"a": asked(wish("t", what="x"))})
    (seen,) = run(guarded(tool("t", body)), turn)
    told = {"error": f"t failed: {why}"}
    assert (seen.error, seen.output, seen.tool_uses) == (None, "done", ())
    assert seen.calls[-1].tool_results == (told,)
    assert list(seen.journal) == [entry("failed", told)]


def test_a_tool_that_is_not_there_is_told_with_those_that_are() -> None:
    value = guarded(tool("t"), tool("u", role="admin"))
    value["tools"].append(tool("other"))
    turn = Turn(input="go", roles=(), answers={"a": asked(wish("other", what="x"), wish("rm", path="/"))})
    (seen,) = run(value, turn)
    told = [{"error": f"there is no tool {name}; there are t, u"} for name in ("other", "rm")]
    assert list(seen.calls[-1].tool_results) == told
    assert [(each["tool"], each["arguments"], each["decision"]) for each in seen.journal] == [
        ("other", {"what": "x"}, "unknown"),
        ("rm", {"path": "/"}, "unknown"),
    ]


def test_a_drawn_tool_is_guarded_as_a_declared_one_is() -> None:
    box = node("tool", "box", inputType="T", outputType="str", body="return node_input.s", guard={"role": "admin"})
    value = graph([agent("a", "Go.", tools=["box"]), box], "START>a", schemas=[schema("T", s="str", n="int")])
    good = asked(wish("box", node_input={"s": "in", "n": 1, "else": 2}), wish("box", node_input={"s": "in"}))
    admin, viewer = run(
        value,
        Turn(input="go", session="admin", roles=("admin",), answers={"a": good}),
        Turn(input="go", session="viewer", roles=("viewer",), answers={"a": good}),
    )
    wrong = {"error": "the argument node_input of box has the wrong type"}
    assert admin.calls[-1].tool_results == ("in", wrong)
    assert [(each["decision"], each["arguments"]) for each in admin.journal] == [
        ("ran", {"node_input": {"s": "in", "n": 1}}),
        ("rejected", {"node_input": {"s": "in"}}),
    ]
    assert [each["decision"] for each in viewer.journal] == ["refused", "refused"]


# ------------------------------------------------------------------ roles


@pytest.mark.parametrize(
    ("role", "who"),
    [
        ("viewer", {"viewer", "operator", "admin"}),
        ("operator", {"operator", "admin"}),
        ("admin", {"admin"}),
        ("auditor", {"auditor"}),
        ("Admin", {"Admin"}),
        (None, {"viewer", "operator", "admin", "auditor", "Admin"}),
    ],
)
def test_the_ladder(role: str | None, who: set[str]) -> None:
    everyone = ("viewer", "operator", "admin", "auditor", "Admin")
    assert {held for held in everyone if guards.permitted(role, (held,))} == who
    assert guards.permitted(role, ()) == (role is None)
    assert guards.permitted(role, everyone)


def test_a_destructive_tool_needs_an_operator_unless_it_names_a_role() -> None:
    assert guards.needed(None) is None
    assert guards.needed(Guard(confirm=True)) is None
    assert guards.needed(Guard(destructive=True)) == "operator"
    assert guards.needed(Guard(destructive=True, role="viewer")) == "viewer"
    assert guards.needed(Guard(destructive=True, role="auditor")) == "auditor"


@pytest.mark.parametrize(("roles", "runs"), [(("admin",), False), (("auditor",), True), (("x", "auditor"), True)])
def test_a_role_that_is_not_on_the_ladder_is_nobody_else_s(roles: tuple[str, ...], runs: bool) -> None:
    told, _, _ = one({"role": "auditor"}, roles=roles)
    assert (told == "x:1") == runs


def test_roles_are_told_once_and_in_order() -> None:
    told, journal, _ = one({"role": "admin"}, roles=("viewer", "b", "a", "viewer"))
    assert told == {"refused": "t needs the role admin; the user has a, b, viewer"}
    assert journal[0]["roles"] == ["a", "b", "viewer"]


def test_a_turn_without_roles_has_those_that_the_graph_names() -> None:
    value = guarded(tool("t", role="auditor"), tool("u", destructive=True), tool("v", confirm=True), tool("w"))
    value["nodes"].append(node("tool", "box", inputType="str", outputType="str", guard={"role": "viewer"}))
    value["nodes"][0]["config"]["tools"].append("box")
    assert roles_of(ready(value)) == ("auditor", "operator", "viewer")
    (seen,) = run(value, Turn(input="go", answers={"a": asked(wish("t", what="x"), wish("u", what="y"))}))
    assert seen.calls[-1].tool_results == ("x:1", "y:1")
    assert seen.journal[0]["roles"] == ["auditor", "operator", "viewer"]


def test_each_session_has_its_user_and_its_journal() -> None:
    turns = run(
        guarded(tool("t", role="admin")),
        Turn(input="1", session="ann", roles=("admin",), answers={"a": asked(wish("t", what="x"))}),
        Turn(input="2", session="bob", roles=(), answers={"a": asked(wish("t", what="x"))}),
        Turn(input="3", session="ann", roles=("admin",), answers={"a": asked(wish("t", what="z"))}),
    )
    # a turn's journal is what it has added
    assert [[(each["user"], each["decision"]) for each in turn.journal] for turn in turns] == [
        [("ann", "ran")],
        [("bob", "refused")],
        [("ann", "ran")],
    ]


# ------------------------------------------------------------------ several calls at once


def both(value: Json, *wishes: ToolCall, asks: bool = True, **settings: Any) -> TurnTrace:
    (seen,) = run(value, Turn(input="go", answers={"a": (Answer(calls=wishes), "done")}, **settings), asks=asks)
    return seen


def test_what_waits_for_a_person_runs_after_all_else_and_answers_in_its_place() -> None:
    value = guarded(tool("t", confirm=True), tool("u"))
    wishes = (wish("t", what="1"), wish("u", what="2"), wish("rm"), wish("t", what="3"), wish("u", times=4))
    seen = both(value, *wishes, confirm={"t": (False, True)})
    assert [(call.tool, call.tool_results) for call in seen.calls] == [
        ("t, u, rm, t, u", ()),
        (
            None,
            (
                {"refused": "a person has denied t"},
                "2:1",
                {"error": "there is no tool rm; there are t, u"},
                "3:1",
                {"error": "u needs what"},
            ),
        ),
    ]
    assert [(each["tool"], each["arguments"].get("what"), each["decision"]) for each in seen.journal] == [
        ("t", "1", "asked"),
        ("u", "2", "ran"),
        ("rm", None, "unknown"),
        ("t", "3", "asked"),
        ("u", None, "rejected"),
        ("t", "1", "denied"),
        ("t", "3", "ran"),
    ]
    # a run that waits for two answers waits once
    assert seen.pauses == ("a",)
    assert [use.args["what"] for use in seen.tool_uses] == ["2", "3"]


def test_a_call_that_may_not_run_does_not_keep_the_others_back() -> None:
    value = guarded(tool("t", role="admin", confirm=True), tool("u"))
    seen = both(value, wish("t", what="1"), wish("u", what="2"), roles=())
    assert (seen.pauses, [each["decision"] for each in seen.journal]) == ((), ["refused", "ran"])
    seen = both(value, wish("t", what="1"), wish("u", what="2"), roles=("admin",), asks=False)
    assert (seen.pauses, [each["decision"] for each in seen.journal]) == ((), ["refused", "ran"])


def test_calls_at_once_cost_one_call_of_the_model() -> None:
    seen = both(guarded(tool("t")), wish("t", what="1"), wish("t", what="2"))
    assert [call.tool for call in seen.calls] == ["t, t", None]


# ------------------------------------------------------------------ the exit tool


def exiting(**more: Any) -> Json:
    critic = config("Judge.", tools=["t", "exit_loop"])
    return graph([loop("l", critic=critic, **more), function("end", 'return "end " + node_input')], "START>l l>end") | {
        "tools": [tool("t")]
    }


def judged(*critic: Any, **more: Any) -> TurnTrace:
    answers = {"l_generator": ("d1", "d2", "d3"), "l_critic": critic}
    (seen,) = run(exiting(**more), Turn(input="x", answers=answers))
    return seen


def no(feedback: str) -> Answer:
    return Answer(json={"is_valid": False, "feedback": feedback})


EXIT = Answer(call=wish("exit_loop"))


def test_the_exit_tool_approves_and_no_model_is_asked_again() -> None:
    seen = judged(EXIT, no("never asked for"))
    assert [(call.agent, call.tool) for call in seen.calls] == [("l_generator", None), ("l_critic", "exit_loop")]
    assert (seen.output, seen.leftover) == ("end d1", {"l_critic": 1, "l_generator": 2})
    assert seen.state == {"l_status": "approved", "l_iterations": 1, "l_feedback": ""}
    # a critic that has not said anything leaves no step and no entry
    assert [step.path for step in seen.steps] == ["l/l_generator", "l", "end"]
    assert (seen.journal, seen.tool_uses) == ((), ())


def test_the_exit_tool_leaves_the_last_feedback() -> None:
    seen = judged(no("more"), EXIT)
    assert (seen.loops[0].end, seen.loops[0].passes, seen.loops[0].feedback) == ("approved", 2, "more")
    assert (seen.output, seen.state["l_feedback"]) == ("end d2", "more")


def test_the_exit_tool_may_come_after_and_beside_other_calls() -> None:
    look = Answer(call=wish("t", what="x"))
    seen = judged(look, EXIT)
    assert [call.tool for call in seen.calls] == [None, "t", "exit_loop"]
    assert [(each["agent"], each["pass"], each["decision"]) for each in seen.journal] == [("l_critic", 1, "ran")]
    seen = judged(Answer(calls=(wish("exit_loop"), wish("t", what="x"), wish("rm"))))
    assert (seen.loops[0].end, [each["decision"] for each in seen.journal]) == ("approved", ["ran", "unknown"])
    assert len(seen.calls) == 2


def test_the_exit_tool_approves_where_the_loop_must_be_approved() -> None:
    assert judged(no("a"), no("b"), EXIT, onExhausted="fail").error is None
    failed = judged(no("a"), no("b"), no("c"), onExhausted="fail").error
    assert failed is not None
    assert failed.code == "LOOP_EXHAUSTED"


def test_only_a_critic_may_exit() -> None:
    value = exiting()
    value["nodes"][0]["config"]["generator"]["tools"] = ["exit_loop"]
    assert [each.code for each in check(dump(value), "f")[1]] == ["UNKNOWN_TOOL"]
    value = graph([agent("a", "Go.", tools=["exit_loop"])], "START>a")
    assert [each.code for each in check(dump(value), "f")[1]] == ["UNKNOWN_TOOL"]


def test_a_critic_that_has_not_the_exit_tool_does_not_exit() -> None:
    value = exiting()
    value["nodes"][0]["config"]["critic"]["tools"] = ["t"]
    (seen,) = run(value, Turn(input="x", answers={"l_generator": ("d1",) * 3, "l_critic": (EXIT, no("a"), EXIT, "")}))
    assert [each["decision"] for each in seen.journal] == ["unknown", "unknown"]
    assert seen.error is not None
    assert (seen.error.code, seen.error.pass_) == ("LOOP_BAD_CRITIC", 2)


@pytest.mark.parametrize("drawn", [True, False])
def test_a_declared_exit_tool_is_a_tool_like_others(drawn: bool) -> None:
    value = exiting()
    if drawn:
        box = node("tool", "exit_loop", inputType="str", outputType="str", body="return 'own'", guard={"role": "admin"})
        value["nodes"].append(box)
    else:
        value["tools"].append(tool("exit_loop", "return 'own'", parameters=[], role="admin"))
    args = {"node_input": "x"} if drawn else {}
    said = (Answer(call=wish("exit_loop", **args)), no("a"), *[no("b")] * 2)
    answers: Answers = {"l_generator": ("d1", "d2", "d3"), "l_critic": said}
    (seen,) = run(value, Turn(input="x", answers=answers))
    assert (seen.loops[0].end, seen.calls[2].tool_results) == ("exhausted", ("own",))
    assert [(each["tool"], each["decision"]) for each in seen.journal] == [("exit_loop", "ran")]
    # and any agent may have it
    value["nodes"][0]["config"]["generator"]["tools"] = ["exit_loop"]
    assert check(dump(value), "f")[1] == []


# ------------------------------------------------------------------ tools that are steps


def stepped(**guard: Any) -> Json:
    nodes = [
        node("tool", "wipe", inputType="str", outputType="T", body="return T(s='wiped ' + node_input)", guard=guard),
        function("end", "return node_input.s + '.'", takes="T"),
    ]
    return graph(nodes, "START>wipe wipe>end", schemas=[schema("T", s="str", n={"type": "int", "default": 3})])


def step_entry(decision: str, result: Any) -> Json:
    arguments = {"node_input": "x"}
    return entry(decision, result, agent=None, tool="wipe", arguments=arguments)


def test_a_step_that_the_user_may_do_runs_and_is_journalled() -> None:
    for guard in ({"role": "viewer"}, {"destructive": True}, {"role": "operator", "destructive": True}):
        (seen,) = run(stepped(**guard), Turn(input="x", roles=("operator",)))
        assert seen.output == "wiped x."
        assert list(seen.journal) == [step_entry("ran", {"s": "wiped x", "n": 3})]


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_step_that_the_user_may_not_do_fails_the_run(dry_run: bool) -> None:
    (seen,) = run(stepped(destructive=True), Turn(input="x", roles=("viewer",), dry_run=dry_run))
    assert seen.error is not None
    assert (seen.error.code, seen.error.path) == ("TOOL_NOT_PERMITTED", "wipe")
    assert "operator" in seen.error.message
    assert (seen.steps, seen.journal) == ((), ())


def test_a_step_that_is_only_planned_gives_its_stub() -> None:
    (seen,) = run(stepped(destructive=True), Turn(input="x", roles=("operator",), dry_run=True))
    assert [(step.path, step.output) for step in seen.steps] == [("wipe", {"s": "", "n": 3}), ("end", ".")]
    assert list(seen.journal) == [step_entry("planned", {"planned": "dry run: wipe is not executed"})]
    (seen,) = run(stepped(role="operator"), Turn(input="x", roles=("operator",), dry_run=True))
    assert seen.output == "wiped x."


def test_a_step_without_a_guard_is_not_journalled() -> None:
    value = stepped()
    (seen,) = run(value, Turn(input="x", roles=()))
    assert [each["decision"] for each in seen.journal] == ["ran"]
    del value["nodes"][0]["config"]["guard"]
    (seen,) = run(value, Turn(input="x", roles=()))
    assert (seen.output, seen.journal) == ("wiped x.", ())


# ------------------------------------------------------------------ a function that sees the run


def seeing(body: str, **more: Any) -> Json:
    """Two loops, a guarded step, and a function that sees them."""
    last = function("see", body)
    last["config"]["seesRun"] = True
    nodes = [
        loop("first", critic=config("Judge.", tools=["exit_loop"])),
        node("tool", "wipe", inputType="str", outputType="str", body="return node_input", guard={"destructive": True}),
        last,
        loop("later", 1),
    ]
    return graph(nodes, "START>first first>wipe wipe>see see>later", **more)


def seen_by(body: str, **settings: Any) -> TurnTrace:
    answers: Answers = {
        "first_generator": ("d1", "d2"),
        "first_critic": (no("more"), EXIT),
        "later_generator": ("end",),
        "later_critic": (Answer(json={"is_valid": True, "feedback": "f"}),),
    }
    (seen,) = run(seeing(body), Turn(input="x", answers=answers, **settings))
    return seen


def test_it_sees_the_loops_before_it_the_journal_and_the_switch() -> None:
    body = "import json\nreturn json.dumps(run, sort_keys=True)"
    for dry_run in (True, False):
        seen = seen_by(body, dry_run=dry_run)
        assert seen.error is None
        made = next(step.output for step in seen.steps if step.path == "see")
        check_run = {
            "loops": {"first": {"status": "approved", "iterations": 2, "feedback": "more"}},
            "journal": [dict(each) for each in seen.journal],
            "dry_run": dry_run,
        }
        assert json.loads(made) == check_run
        assert [each["decision"] for each in seen.journal] == ["planned" if dry_run else "ran"]


def test_it_cannot_change_what_it_sees() -> None:
    body = """run["journal"].append(1)
run["journal"][0]["decision"] = "nothing"
run["journal"][0]["arguments"].clear()
run["loops"]["first"]["status"] = "exhausted"
run["dry_run"] = True
return node_input"""
    seen, plain = seen_by(body), seen_by("return node_input")
    assert seen == plain
    assert seen.journal[0]["arguments"] == {"node_input": "d2"}


def test_it_sees_what_earlier_turns_have_left() -> None:
    body = 'return str(len(run["journal"])) + run["loops"]["first"]["status"]'
    answers: Answers = {
        "first_generator": ("d1",),
        "first_critic": (EXIT,),
        "later_generator": ("end",),
        "later_critic": (Answer(json={"is_valid": True, "feedback": "f"}),),
    }
    turns = run(
        seeing(body),
        Turn(input="x", answers=answers),
        Turn(input="x", session="other", answers=answers),
        Turn(input="x", answers=answers),
    )
    outputs = [step.output for turn in turns for step in turn.steps if step.path == "see"]
    assert outputs == ["1approved", "1approved", "2approved"]


def test_a_loop_that_was_passed_by_is_not_among_those_it_sees() -> None:
    last = function("see", 'return ",".join(sorted(run["loops"]))')
    last["config"]["seesRun"] = True
    nodes = [
        node("router", "r", routes=["a", "b"], body="return node_input"),
        loop("one", critic=config("Judge.", tools=["exit_loop"])),
        loop("two", critic=config("Judge.", tools=["exit_loop"])),
        last,
    ]
    value = graph(nodes, "START>r r:a>one r:b>two one>see two>see")
    answers: Answers = {"one_generator": ("d",), "one_critic": (EXIT,), "two_generator": ("d",), "two_critic": (EXIT,)}
    turns = run(value, Turn(input="a", answers=answers), Turn(input="b", answers=answers))
    assert [turn.output for turn in turns] == ["one", "one,two"]


def test_only_a_function_of_0_2_sees_the_run() -> None:
    value = old()
    value["nodes"][1]["config"]["seesRun"] = True
    assert [each.code for each in check(dump(value), "f")[1]] == ["UNKNOWN_KEY"]
    value = graph([function("f", "return str(run)")], "START>f")
    (seen,) = run(value, Turn(input="x"))
    assert seen.error is not None
    assert seen.error.code == "BODY_FAILED"


# ------------------------------------------------------------------ what is compared


def test_the_journal_is_compared_and_a_failed_turn_s_is_not() -> None:
    value = guarded(tool("t"))
    made = ready(value)

    def seen(*answers: Any) -> Any:
        turn = Turn(input="x", answers={"a": answers})
        return canonical(play(made, Scenario(name="s", turns=(turn,))), made)["turns"][0]

    assert [each["decision"] for each in seen(*asked(wish("t", what="x")))["journal"]] == ["ran"]
    value["nodes"][0]["config"]["outputSchemaRef"] = "T"
    value["schemas"] = [schema("T", s="str")]
    made = ready(value)
    failed = seen(*asked(wish("t", what="x")))
    assert (failed["error"], failed["journal"]) == ({"code": "AGENT_BAD_OUTPUT", "path": "a"}, [])


def test_results_go_into_every_later_call_of_the_same_run_only() -> None:
    value = graph([agent("a", "Go.", tools=["t"]), agent("b", "Go.", tools=["t"])], "START>a a>b", tools=[tool("t")])
    both_answer = {"a": asked(wish("t", what="1"), wish("t", what="2")), "b": asked(wish("t", what="3"))}
    (seen,) = run(value, Turn(input="x", answers=both_answer))

    def told(name: str) -> list[Any]:
        calls: list[Call] = [call for call in seen.calls if call.agent == name]
        return [call.tool_results for call in calls]

    assert told("a") == [(), ("1:1",), ("1:1", "2:1")]
    assert told("b") == [(), ("3:1",)]
