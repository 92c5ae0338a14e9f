"""What a LoopGraph project brings beside the engine, as far as it runs without one."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from codegen_samples import agent, critic_loop, graph_of, project, text

from adk_probe.codegen.loopgraph.support import sessions

MODULES = ("guarding", "loops", "prompts", "steps", "tooling", "values")


class Run:
    """A run as steps see it."""

    def __init__(self, model: Any = None, guarding: Any = None) -> None:
        self.model = model
        self.guarding = guarding
        self.state: dict[str, Any] = {}
        self.local: dict[str, Any] = {}

    def note(self, *entry: Any) -> None:
        self.guarding.note(self.state, "me", *entry)

    def keep(self, name: str, output: Any, kept: bool) -> Any:
        if kept:
            self.state[f"{name}_output"] = output
        return output


class Script:
    """A model that gives one answer after the other, after so many seconds each."""

    def __init__(self, models: Any, *answers: Any, seconds: float = 0) -> None:
        self.models = models
        self.answers = list(answers)
        self.seconds = seconds
        self.asked: list[Any] = []

    async def answer(self, request: Any) -> Any:
        self.asked.append(request)
        await asyncio.sleep(self.seconds)
        answer = self.answers.pop(0)
        return answer if isinstance(answer, self.models.Answer) else self.models.Answer(text=answer)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The modules of a generated project by name; ``running`` and ``graph`` need the engine and are left out."""
    tool = {"name": "b", "type": "int", "default": 1}
    add = {
        "name": "add",
        "description": "Adds.",
        "parameters": [{"name": "a", "type": "int"}, tool, {"name": "day", "type": "date", "default": None}],
        "returns": "int",
        "body": "return a + b",
        "guard": {"role": "clerk"},
    }
    wipe = {
        "name": "wipe",
        "description": "Wipes.",
        "parameters": [{"name": "what", "type": "str"}],
        "returns": "str",
        "body": "return [].pop() if what == 'nothing' else 'wiped ' + what",
        "guard": {"destructive": True},
    }
    ship = {"name": "ship", "description": "", "parameters": [], "returns": "str", "guard": {"confirm": True}}
    value = critic_loop(
        timeoutSeconds=5,
        generator=agent([text("Write.")], tools=["add", "wipe", "ship"]),
        critic=agent([text("Judge.")], tools=["add", "exit_loop"]),
    )
    value["name"] = "supported_project"
    folder = tmp_path_factory.mktemp("support")
    for path, source in project(graph_of({**value, "tools": [add, wipe, ship]}), "loopgraph").items():
        file = folder / "supported_project" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        # the package itself would import the engine
        file.write_text("" if path == "__init__.py" else source, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        found = {name: importlib.import_module(f"supported_project.support.{name}") for name in MODULES}
        found |= {name: importlib.import_module(f"supported_project.{name}") for name in ("agents", "models", "tools")}
        yield type("Made", (), found)
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.startswith("supported_project")]:
            del sys.modules[name]


# ------------------------------------------------------------------ sessions


@pytest.mark.parametrize("name", ["s", "", "a/b", "..", ".", "é" * 80, "x" * 300, "con:1", "\x00", "a b"])
def test_a_session_is_a_file_of_its_own_whatever_its_name(tmp_path: Path, name: str) -> None:
    session = sessions.Session(tmp_path, name)
    session.begin("Hello.")
    session.save("turn-1", {"states": {}})
    [file] = tmp_path.iterdir()
    assert len(file.name.encode()) < 200
    again = sessions.Session(tmp_path, name)
    assert (again.data["request"], again.data["status"]) == ("Hello.", "running")
    assert again.load("turn-1") == {"states": {}}
    assert sessions.Session(tmp_path, f"{name}x").data["status"] == "new"


def test_a_store_has_no_length_and_misses_with_a_key_error(tmp_path: Path) -> None:
    session = sessions.Session(tmp_path, "s")
    session.begin("Hello.")
    assert bool(session)
    with pytest.raises(KeyError):
        session.load("turn-1")


def test_a_turn_begins_without_what_an_earlier_one_left(tmp_path: Path) -> None:
    session = sessions.Session(tmp_path, "s")
    session.begin("one")
    session.data["state"]["kept"] = 1
    session.data["local"]["lost"] = 1
    session.save("turn-1", {})
    session.end("failed", error={"code": "X"})
    session.begin("two")
    assert session.data["state"] == {"kept": 1}
    assert (session.data["local"], session.data["snapshots"], session.data["turn"]) == ({}, {}, 2)
    assert "error" not in session.data


def test_what_cannot_be_saved_leaves_what_was(tmp_path: Path) -> None:
    session = sessions.Session(tmp_path, "s")
    session.begin("one")
    before = session.path.read_bytes()
    with pytest.raises(TypeError):
        session.save("turn-1", {"x": object()})
    assert session.path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [session.path.name]


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    session = sessions.Session(tmp_path, "s")
    session.begin("one")
    session.path.write_text(json.dumps({**session.data, "version": 99}), encoding="utf-8")
    with pytest.raises(sessions.SessionError, match="version 99"):
        sessions.Session(tmp_path, "s")


# ------------------------------------------------------------------ loops


def loop(made: Any, **more: Any) -> Any:
    agents = made.agents.AGENTS
    return made.loops.Loop("draft", str, agents["draft_generator"], agents["draft_critic"], **more)


def verdict(good: bool, feedback: str) -> str:
    return json.dumps({"is_valid": good, "feedback": feedback})


async def passed(each: Any, run: Run, passes: int) -> str:
    """Go through a loop as the engine does, at most so many times; return the last route."""
    handlers = each.handlers
    await handlers["draft-enter"](run, "x")
    route = ""
    for _ in range(passes):
        await handlers["draft-draft"](run, route)
        route = await handlers["draft-route"](run, await handlers["draft-judge"](run, None))
        if route != "revise":
            break
    return route


def test_a_loop_tells_the_engine_where_to_go(made: Any) -> None:
    script = Script(made.models, "d1", verdict(False, "more"), "d2", verdict(True, "good"))
    run, each = Run(script), loop(made, kept=True)
    assert asyncio.run(passed(each, run, 3)) == "pass"
    assert asyncio.run(each.leave(run, "pass")) == "d2"
    assert run.state == {
        "draft_status": "approved",
        "draft_iterations": 2,
        "draft_feedback": "good",
        "draft_output": "d2",
    }
    assert [json.loads(request.text) for request in script.asked[1:]] == [
        {"request": "x", "draft": "d1"},
        {"request": "x", "draft": "d1", "feedback": "more"},
        {"request": "x", "draft": "d2"},
    ]


def test_a_loop_that_is_out_of_visits_is_told_so_by_its_route(made: Any) -> None:
    run = Run(Script(made.models, "d1", verdict(False, "more")))
    each = loop(made)
    assert asyncio.run(passed(each, run, 1)) == "revise"
    assert asyncio.run(each.leave(run, "revise")) == "d1"
    assert run.state["draft_status"] == "exhausted"
    with pytest.raises(made.values.StepError, match="not approved after 1 passes") as failed:
        asyncio.run(loop(made, must_pass=True).leave(run, "revise"))
    assert (failed.value.code, failed.value.step) == ("LOOP_EXHAUSTED", "draft")


def test_a_late_answer_ends_the_loop_with_the_last_draft(made: Any) -> None:
    run = Run(Script(made.models, "d1", verdict(False, "more"), seconds=0.08))
    each = loop(made, timeout=0.1)
    assert asyncio.run(passed(each, run, 3)) == "late"
    assert asyncio.run(each.leave(run, "late")) == "d1"
    assert (run.state["draft_status"], run.state["draft_iterations"]) == ("timed_out", 1)


def test_without_a_draft_a_late_loop_fails(made: Any) -> None:
    run = Run(Script(made.models, "d1", seconds=0.2))
    each = loop(made, timeout=0.01)
    assert asyncio.run(passed(each, run, 3)) == "late"
    with pytest.raises(made.values.StepError) as failed:
        asyncio.run(each.leave(run, "late"))
    assert failed.value.code == "LOOP_TIMED_OUT"


def test_a_critic_that_calls_the_exit_approves_and_is_not_asked_again(made: Any) -> None:
    call = made.models.Call
    both = made.models.Answer(calls=(call("exit_loop", {}), call("add", {"a": 2})))
    script = Script(made.models, "d1", verdict(False, "more"), "d2", both)
    run, each = Run(script, made.guarding), loop(made)
    run.state["user:roles"] = ["clerk"]
    assert asyncio.run(passed(each, run, 3)) == "pass"
    assert asyncio.run(each.leave(run, "pass")) == "d2"
    ended = {key: run.state[f"draft_{key}"] for key in ("status", "iterations", "feedback")}
    assert ended == {"status": "approved", "iterations": 2, "feedback": "more"}
    [entry] = made.guarding.journal(run.state)
    assert (entry["agent"], entry["pass"], entry["tool"], entry["decision"]) == ("draft_critic", 2, "add", "ran")
    assert [tool.name for tool in script.asked[-1].tools] == ["add", "exit_loop"]
    assert script.asked[-1].tools[-1].description.startswith("Ends the loop.")
    assert script.asked[-1].tools[-1].schema == {"type": "object", "properties": {}, "required": []}


def test_a_critic_that_talks_rubbish_fails_the_loop(made: Any) -> None:
    run = Run(Script(made.models, "d1", "fine"))
    with pytest.raises(made.values.StepError) as failed:
        asyncio.run(passed(loop(made), run, 1))
    assert (failed.value.code, failed.value.step) == ("LOOP_BAD_CRITIC", "draft")
    assert run.local["draft"]["feedback"] == "", "a step that failed left a mark"


# ------------------------------------------------------------------ tools


def asking(made: Any, tool: str = "add", /, **arguments: Any) -> Any:
    return made.models.Answer(calls=(made.models.Call(tool, arguments),))


def generate(
    made: Any, *answers: Any, roles: tuple[str, ...] = ("clerk",), dry: bool = False
) -> tuple[Any, Script, Run]:
    script = Script(made.models, *answers)
    run = Run(script, made.guarding)
    run.state["user:roles"] = list(roles)
    run.state["guard:dry_run"] = dry
    return asyncio.run(made.agents.AGENTS["draft_generator"].answer(run, "x", "x", 1)), script, run


def one_call(made: Any, tool: str, arguments: dict[str, Any], **more: Any) -> tuple[Any, dict[str, Any]]:
    """Return what a model reads about its call, and the journal's entry."""
    _, script, run = generate(made, asking(made, tool, **arguments), "done", **more)
    [entry] = made.guarding.journal(run.state)
    [exchange] = script.asked[-1].exchanges
    assert exchange.results == (entry["result"],)
    assert (entry["user"], entry["agent"], entry["pass"], entry["tool"]) == ("me", "draft_generator", 1, tool)
    return exchange.results[0], entry


def test_results_of_tools_go_into_the_next_call(made: Any) -> None:
    answer, script, _ = generate(made, asking(made, a=2), asking(made, a=2, b=5), "done")
    assert answer == "done"
    assert [[exchange.results for exchange in request.exchanges] for request in script.asked] == [
        [],
        [(3,)],
        [(3,), (7,)],
    ]


def test_a_model_is_told_what_a_tool_takes(made: Any) -> None:
    assert made.tools.TOOLS["add"].schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"type": "integer"},
            "day": {"anyOf": [{"format": "date", "type": "string"}, {"type": "null"}]},
        },
        "required": ["a"],
    }


@pytest.mark.parametrize("day", [None, "2024-02-29"])
def test_a_parameter_that_may_be_null_takes_both(made: Any, day: str | None) -> None:
    assert generate(made, asking(made, a=1, day=day), "done")[0] == "done"


def test_calls_in_one_answer_are_done_in_their_order(made: Any) -> None:
    call = made.models.Call
    three = made.models.Answer(calls=(call("add", {"a": 1}), call("nope", {}), call("add", {"a": 2, "b": 2})))
    _, script, run = generate(made, three, "done")
    told = {"error": "there is no tool nope; there are add, wipe, ship"}
    assert script.asked[-1].exchanges[0].results == (2, told, 4)
    assert [entry["decision"] for entry in made.guarding.journal(run.state)] == ["ran", "unknown", "ran"]


def test_the_journal_has_the_arguments_with_their_defaults(made: Any) -> None:
    told, entry = one_call(made, "add", {"a": 1})
    assert told == 2
    assert (entry["decision"], entry["roles"]) == ("ran", ["clerk"])
    assert entry["arguments"] == {"a": 1, "b": 1, "day": None}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "add needs a"),
        ({"a": None}, "the argument a of add has the wrong type"),
        ({"a": "2"}, "the argument a of add has the wrong type"),
        ({"a": True}, "the argument a of add has the wrong type"),
        ({"a": 1.5}, "the argument a of add has the wrong type"),
        ({"a": 1, "b": None}, "the argument b of add has the wrong type"),
        ({"a": 1, "day": "soon"}, "the argument day of add has the wrong type"),
        ({"a": 1, "c": 2}, "add has no parameter c"),
    ],
)
def test_arguments_that_do_not_fit_are_rejected_and_the_model_goes_on(
    made: Any, arguments: dict[str, Any], why: str
) -> None:
    told, entry = one_call(made, "add", arguments)
    assert told == {"error": why}
    assert (entry["decision"], entry["arguments"]) == ("rejected", arguments)


@pytest.mark.parametrize(
    ("tool", "arguments", "roles", "why"),
    [
        ("add", {"a": 1}, ("guest",), "add needs the role clerk; the user has guest"),
        ("add", {"a": "no"}, (), "add needs the role clerk; the user has none"),
        ("wipe", {"what": "x"}, ("viewer",), "wipe needs the role operator; the user has viewer"),
        ("ship", {}, ("admin",), "ship needs a person's confirmation, and nobody can be asked for it here"),
    ],
)
def test_what_may_not_run_is_refused(
    made: Any, tool: str, arguments: dict[str, Any], roles: tuple[str, ...], why: str
) -> None:
    told, entry = one_call(made, tool, arguments, roles=roles)
    assert (told, entry["decision"]) == ({"refused": why}, "refused")


def test_a_role_above_the_one_that_is_needed_will_do(made: Any) -> None:
    assert one_call(made, "wipe", {"what": "x"}, roles=("admin",))[0] == "wiped x"


def test_a_dry_run_only_plans_what_is_destructive(made: Any) -> None:
    told, entry = one_call(made, "wipe", {"what": "x"}, roles=("operator",), dry=True)
    assert (told, entry["decision"]) == ({"planned": "dry run: wipe is not executed"}, "planned")
    assert one_call(made, "add", {"a": 1}, dry=True)[1]["decision"] == "ran"


def test_a_tool_that_raises_ends_nothing(made: Any) -> None:
    told, entry = one_call(made, "wipe", {"what": "nothing"}, roles=("operator",))
    assert told == {"error": "wipe failed: IndexError: pop from empty list"}
    assert entry["decision"] == "failed"


def test_a_tool_that_nobody_gave_the_agent_does_not_run(made: Any) -> None:
    told, entry = one_call(made, "exit_loop", {"x": 1})
    assert told == {"error": "there is no tool exit_loop; there are add, wipe, ship"}
    assert (entry["decision"], entry["arguments"]) == ("unknown", {"x": 1})


def test_a_model_that_only_calls_tools_is_stopped(made: Any) -> None:
    with pytest.raises(made.values.StepError, match="no answer after"):
        generate(made, *[asking(made, a=1)] * 200)


# ------------------------------------------------------------------ tools that are steps


def step(made: Any, run: Run, **more: Any) -> Any:
    """Do a step that is a tool and destructive."""
    guard = made.tooling.StepGuard(destructive=True, planned="")
    made_step = made.steps.Step("wipe", lambda what: f"wiped {what}", str, str, guard=guard, **more)
    return asyncio.run(made_step(run, "x"))


def test_a_step_without_the_role_that_it_needs_fails(made: Any) -> None:
    run = Run(guarding=made.guarding)
    with pytest.raises(made.values.StepError, match="needs the role 'operator'") as failed:
        step(made, run)
    assert (failed.value.code, failed.value.step) == ("TOOL_NOT_PERMITTED", "wipe")
    assert made.guarding.journal(run.state) == []


@pytest.mark.parametrize(
    ("dry", "output", "decision", "result"),
    [
        (False, "wiped x", "ran", "wiped x"),
        (True, "", "planned", {"planned": "dry run: wipe is not executed"}),
    ],
)
def test_a_step_with_a_guard_is_journalled(made: Any, dry: bool, output: str, decision: str, result: Any) -> None:
    run = Run(guarding=made.guarding)
    run.state |= {"user:roles": ["operator"], "guard:dry_run": dry}
    assert step(made, run, kept=True) == output
    assert run.state["wipe_output"] == output
    [entry] = made.guarding.journal(run.state)
    assert entry == {
        "user": "me",
        "roles": ["operator"],
        "agent": None,
        "pass": None,
        "tool": "wipe",
        "arguments": {"node_input": "x"},
        "decision": decision,
        "result": result,
    }


def test_a_function_that_sees_the_run_gets_a_copy_of_it(made: Any) -> None:
    def tell(given: str, run: dict[str, Any]) -> str:
        run["journal"].append(given)
        return ", ".join([*run["loops"], str(len(run["journal"])), str(run["dry_run"])])

    run = Run(guarding=made.guarding)
    run.state |= {"draft_status": "approved", "draft_iterations": 1, "draft_feedback": ""}
    each = made.steps.Step("tell", tell, str, str, sees=("draft", "later"))
    assert asyncio.run(each(run, "x")) == "draft, 1, False"
    assert made.guarding.journal(run.state) == []
