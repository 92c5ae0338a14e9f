"""The guards of generated tools: of one mind with the reference, and carried to the code by every mechanism."""

from __future__ import annotations

import ast
import asyncio
import dataclasses
import importlib
import inspect
import itertools
import json
import logging
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from codegen_samples import able, agent, critic_loop, graph_of, on_adk, one_node, project, text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_probe.codegen.support import guarding, values
from adk_probe.graph import guards
from adk_probe.graph.ir import Guard
from adk_probe.graph.reading.scenario import Answer, Scenario, ToolCall, Turn
from adk_probe.graph.reference.interpreter import play

ENGINE = {
    "google.adk.tools": ("BaseTool", "FunctionTool", "ToolContext", "exit_loop"),
    "google.genai.types": ("Content",),
}
Json = dict[str, Any]

PARAMETERS = [
    {"name": "text", "type": "str"},
    {"name": "count", "type": "int"},
    {"name": "thing", "type": "Thing"},
    {"name": "share", "type": "float", "default": 1},
    {"name": "on", "type": "bool", "default": True},
    {"name": "day", "type": "date", "default": None},
    {"name": "moment", "type": "datetime", "default": "2020-01-01T00:00:00+00:00"},
]
THING = {
    "name": "Thing",
    "fields": [
        {"name": "size", "type": "float"},
        {"name": "label", "type": "str", "optional": True},
        {"name": "kind", "type": "str", "default": "plain"},
    ],
}
BODY = """if count == 0:
    raise ValueError("nothing of " + text)
if count == 1:
    return 1
return text * count + str(thing.size) + str(day) + moment.isoformat()"""


def graph_value(guard: Json | None = None) -> Json:
    """A graph of one agent with one tool that has a parameter of every type."""
    tool: Json = {"name": "t", "description": "Does.", "parameters": PARAMETERS, "returns": "str", "body": BODY}
    if guard:
        tool["guard"] = guard
    return one_node("agent", agent([text("Go.")], tools=["t"]), "a", schemas=[THING], tools=[tool])


# ------------------------------------------------------------------ the generated modules, without an engine


def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put modules into ``sys.modules`` that have the engine's names and nothing behind them."""
    for path, names in ENGINE.items():
        parts = path.split(".")
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            if name not in sys.modules:
                module = types.ModuleType(name)
                monkeypatch.setitem(sys.modules, name, module)
                if end > 1:
                    monkeypatch.setattr(sys.modules[".".join(parts[: end - 1])], parts[end - 1], module, raising=False)
        for name in names:
            monkeypatch.setattr(sys.modules[path], name, type(name, (_Tool,), {}), raising=False)


class _Tool:
    def __init__(self, function: Any = None, **settings: Any) -> None:
        self.function = function
        self.__dict__ |= settings

    def request_confirmation(self) -> None:
        """As releases have it that can ask."""


class Made:
    """Modules of a generated project."""

    def __init__(self, package: str) -> None:
        self.package = package

    def __getattr__(self, name: str) -> Any:
        if name not in ("guarding", "tooling", "tools", "values"):
            raise AttributeError(name)
        module = "tools" if name == "tools" else f"support.{name}"
        return importlib.import_module(f"{self.package}.{module}")

    @property
    def guard(self) -> Any:
        [found] = [each for each in vars(self.tools).values() if isinstance(each, self.tooling.Guard)]
        return found


class Packages:
    """Writes projects where they can be imported."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def __call__(self, files: dict[str, str]) -> Made:
        self.count += 1
        package = f"guarded_project_{self.count}"
        for path, source in files.items():
            file = self.folder / package / path
            file.parent.mkdir(parents=True, exist_ok=True)
            # the package itself would import the engine
            file.write_text("" if path == "__init__.py" else source, encoding="utf-8")
        importlib.invalidate_caches()
        return Made(package)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        _stand_in(monkeypatch)
        folder = tmp_path_factory.mktemp("guards")
        monkeypatch.syspath_prepend(str(folder))
        yield Packages(folder)
        for name in [name for name in sys.modules if name.startswith("guarded_project_")]:
            del sys.modules[name]


@pytest.fixture(scope="module")
def made(packages: Packages) -> Made:
    return packages(project(graph_of(graph_value()), "custom-agent"))


class Confirmation:
    """What a person said."""

    def __init__(self, confirmed: Any) -> None:
        self.confirmed = confirmed


class Context:
    """What the engine hands to callbacks and tools, as far as the guard looks at it."""

    def __init__(self, state: Json, agent_name: str = "a", resumable: bool = True, answer: Any = None) -> None:
        self.state = state
        self.agent_name = agent_name
        self.tool_confirmation = answer
        self.actions = types.SimpleNamespace(skip_summarization=False)
        session = types.SimpleNamespace(user_id="s")
        self._invocation_context = types.SimpleNamespace(session=session, is_resumable=resumable)
        self.asked = 0

    def request_confirmation(self, hint: str) -> None:
        assert hint
        self.asked += 1


def decided(guard: Any, args: Json, state: Json, confirms: Any = True) -> Any:
    """Return what a model reads about a call of ``t``, as the engine runs it; a person is asked once."""
    tool, context = types.SimpleNamespace(name="t"), Context(state)
    told = guard.before_tool(tool, args, context)
    if context.asked:
        assert context.actions.skip_summarization
        context = Context(state, answer=Confirmation(confirms))
        told = guard.before_tool(tool, args, context)
        assert not context.asked
    return asyncio.run(guard.use("t", context, args)) if told is None else told


def rows(journal: Any) -> list[str]:
    """Entries as text, which keeps 1, 1.0 and true apart."""
    return [json.dumps(each, sort_keys=True) for each in journal]


def expected(guard: Json, args: Json, roles: tuple[str, ...], dry_run: bool, confirms: bool, asks: bool) -> Any:
    """Return what a model reads and the journal, from the reference."""
    call = Answer(call=ToolCall(tool="t", args=args))
    turn = Turn(input="x", answers={"a": (call, "done")}, roles=roles, dry_run=dry_run, confirm={"t": (confirms,)})
    (seen,) = play(graph_of(graph_value(guard)), Scenario(name="s", turns=(turn,)), asks=asks).turns
    assert seen.output == "done"
    return seen.calls[-1].tool_results[0], rows(seen.journal)


def hold(
    made: Made, guard: Json, args: Json, roles: tuple[str, ...], dry_run: bool, confirms: bool, asks: str
) -> set[str]:
    """Hold a call of the generated tool against the reference; return how it was decided."""
    rules = made.guard._tools["t"]
    own = dataclasses.replace(rules, **{"role": None, **guard})
    state: Json = {"user:roles": list(roles), "guard:dry_run": dry_run}
    told = decided(made.tooling.Guard([own], {"a": ("t",)}, {}, asks=asks), args, state, confirms)
    wanted, journal = expected(guard, args, roles, dry_run, confirms, asks != "never")
    assert json.dumps(told) == json.dumps(wanted)
    entries = guarding.journal(state)
    assert rows(entries) == journal
    return {entry["decision"] for entry in entries}


ROLES = ("viewer", "operator", "admin", "auditor", "")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(-1e9, 1e9) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
THINGS = st.fixed_dictionaries(
    {"size": st.integers(0, 3) | st.floats(0, 3)},
    optional={"label": st.none() | TEXTS, "kind": TEXTS, "else": JUNK},
)
DAYS = st.dates().map(lambda day: day.isoformat())
GOOD: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "count": st.integers(0, 3),
    "thing": THINGS,
    "share": st.integers(0, 3) | st.floats(0, 3),
    "on": st.booleans(),
    "day": st.none() | DAYS,
    "moment": st.sampled_from(["2020-01-01T00:00:00", "2020-02-02T01:02:03Z", "1999-12-31T23:59:59.5+01:00"]),
}
NEARLY = st.sampled_from(
    ["2020-02-30", "2020-1-1", "2020-01-01 00:00:00", "1", "true", 1.0, 0, 20200101, {"size": "1"}]
)


@st.composite
def arguments(draw: st.DrawFn) -> Json:
    """Arguments that fit, or nearly, or not at all."""
    good = draw(st.integers(0, 2)) > 0
    made: Json = {}
    for name, strategy in GOOD.items():
        needed = name in ("text", "count", "thing")
        if draw(st.booleans()) or (needed and (good or draw(st.integers(0, 9)))):
            made[name] = draw(strategy if good or draw(st.integers(0, 3)) else JUNK | NEARLY)
    if not good and not draw(st.integers(0, 4)):
        made |= draw(st.dictionaries(TEXTS, JUNK, max_size=3))
    return made


GUARDS = st.fixed_dictionaries(
    {}, optional={"role": st.sampled_from(ROLES[:-1]), "destructive": st.booleans(), "confirm": st.booleans()}
)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    GUARDS,
    arguments(),
    st.just(("admin", "auditor")) | st.lists(st.sampled_from(ROLES), max_size=3).map(tuple),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["always", "resumable", "never"]),
)
def test_generated_code_decides_as_the_reference_does(
    made: Made, guard: Json, args: Json, roles: tuple[str, ...], dry_run: bool, confirms: bool, asks: str
) -> None:
    hold(made, guard, args, roles, dry_run, confirms, asks)


def test_every_decision_is_that_of_the_reference(made: Made) -> None:
    good = {"text": "é", "count": 2, "thing": {"size": 1, "else": 1}}
    calls: list[Json] = [
        good,
        {**good, "count": 0},
        {**good, "count": 1},
        {"text": "é"},
        {**good, "zeal": 1, "haste": 2},
    ]
    seen: set[str] = set()
    for role, destructive, confirm in itertools.product((None, "viewer", "auditor"), (True, False), (True, False)):
        guard: Json = {"role": role, "destructive": destructive, "confirm": confirm}
        for roles, dry_run, confirms, asks in itertools.product(
            ((), ("admin",), ("auditor", "operator")), (True, False), (True, False), ("always", "never")
        ):
            for args in calls:
                seen |= hold(made, guard, args, roles, dry_run, confirms, asks)
    assert seen == {"asked", "denied", "failed", "planned", "ran", "refused", "rejected"}


@settings(deadline=None)
@given(
    st.sampled_from([None, *ROLES]),
    st.booleans(),
    st.lists(st.sampled_from(ROLES) | TEXTS, max_size=4),
)
def test_roles_mean_what_they_mean_in_the_reference(role: str | None, destructive: bool, roles: list[str]) -> None:
    needed = guards.needed(Guard(role=role, destructive=destructive))
    assert guarding.needed(role, destructive) == needed
    assert guarding.permitted(needed, roles) == guards.permitted(needed, roles)
    assert (guarding.LADDER, guarding.DESTRUCTIVE_ROLE) == (guards.LADDER, guards.DESTRUCTIVE_ROLE)


def test_texts_are_those_of_the_reference() -> None:
    assert guarding.planned("t") == guards.planned("t")
    assert guarding.denied("t") == guards.denied("t")
    assert guarding.failed("t", "why") == guards.failed("t", "why")
    assert guarding.unknown("x", ("t", "u")) == guards.unknown("x", ("t", "u"))


# ------------------------------------------------------------------ state: roles, the switch, the journal


@pytest.mark.parametrize(
    ("value", "roles"),
    [
        (["viewer", "admin", "viewer"], ["admin", "viewer"]),
        (("admin",), ["admin"]),
        ("admin", ["admin"]),
        (["admin", 1, None, ["x"]], ["admin"]),
        ([], []),
        (None, []),
        (True, []),
        (7, []),
        ({"admin": True}, []),
        ([["admin"]], []),
        ([{"role": "admin"}], []),
        (b"admin", []),
        (object(), []),
    ],
)
def test_what_the_host_says_of_the_user(value: Any, roles: list[str]) -> None:
    state = {"user:roles": value}
    assert guarding.held(state) == roles
    assert guarding.permitted("admin", guarding.held(state)) == ("admin" in roles)


def test_other_keys_of_state_give_no_role() -> None:
    for key in ("roles", "app:roles", "temp:roles", "a_output", "user:role"):
        assert guarding.held({key: ["admin"]}) == []
    assert guarding.held({}) == []


@pytest.mark.parametrize(("value", "on"), [(True, True), ("false", True), ("", True), (1, True), (False, False)])
def test_what_is_not_clearly_off_is_a_dry_run(value: Any, on: bool) -> None:
    assert guarding.dry_run({"guard:dry_run": value}) == on
    assert not guarding.dry_run({"guard:dry_run": None})
    assert not guarding.dry_run({})


class Once(dict[str, Any]):
    """State in which no key of the journal may be written twice."""

    def __setitem__(self, key: str, value: Any) -> None:
        assert key not in self
        super().__setitem__(key, value)


def test_entries_of_the_journal_stay_and_no_key_is_written_twice() -> None:
    note, journal = guarding.note, guarding.journal
    state = Once({"user:roles": ["viewer"], "journal": "something else"})
    for number in range(12):
        before = dict(state)
        note(state, "ann", "a", None, "t", {"n": number, "none": None}, "ran", {"x": None})
        assert before.items() <= state.items()
        assert len(state) == len(before) + 1
    assert [key for key in state if key.startswith("journal/")] == [f"journal/{place:06d}" for place in range(12)]
    assert [entry["arguments"] for entry in journal(state)] == [{"n": number, "none": None} for number in range(12)]
    # some session stores give the keys back in another order
    assert journal(dict(sorted(state.items(), reverse=True))) == journal(state)
    assert journal(state)[0] == {
        "user": "ann",
        "roles": ["viewer"],
        "agent": "a",
        "pass": None,
        "tool": "t",
        "arguments": {"n": 0, "none": None},
        "decision": "ran",
        "result": {"x": None},
    }


def test_an_entry_is_text_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    state: Json = {}
    with caplog.at_level(logging.INFO, values.logger.name):
        guarding.note(state, "ann", None, 2, "t", {"word": "é"}, "denied", None)
    [value] = state.values()
    assert json.loads(value)["arguments"] == {"word": "é"}
    [record] = caplog.records
    assert record.__dict__["journal"] == json.loads(value)


def test_what_is_destructive_is_logged_when_it_runs(caplog: pytest.LogCaptureFixture) -> None:
    for destructive in (True, False):
        tool = guarding.Tool("wipe", lambda: "x", str, {}, destructive=destructive)
        caplog.clear()
        with caplog.at_level(logging.WARNING, values.logger.name):
            assert asyncio.run(tool.run({})) == ("ran", "x")
        assert [record.getMessage() for record in caplog.records] == ["destructive tool wipe runs"] * destructive


def test_a_function_is_shown_the_loops_before_it() -> None:
    state: Json = {"l_status": "approved", "l_iterations": 2, "l_feedback": "f", "m_status": "approved"}
    guarding.note(state, "ann", "a", 1, "t", {}, "ran", "x")
    seen = guarding.run_so_far(state, ("l", "never_run"))
    assert seen == {
        "loops": {"l": {"status": "approved", "iterations": 2, "feedback": "f"}},
        "journal": guarding.journal(state),
        "dry_run": False,
    }
    before = dict(state)
    seen["journal"].clear()
    seen["loops"]["l"]["status"] = "exhausted"
    assert state == before


def test_the_rules_of_guards_need_no_engine() -> None:
    names = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(ast.parse(inspect.getsource(guarding)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    # of the project only ``values``, which comes as ``from . import``
    assert names - set(sys.stdlib_module_names) == {""}


# ------------------------------------------------------------------ the callbacks


def test_a_call_is_journalled_with_its_agent_and_its_pass(made: Made) -> None:
    tool = guarding.Tool("t", lambda: "x", str, {})
    guard = made.tooling.Guard([tool], {"a": ("t",), "l_critic": ("t",)}, {"l_critic": "l"}, asks="never")
    state: Json = {"l_iterations": 3}
    for name in ("a", "l_critic"):
        assert asyncio.run(guard.use("t", Context(state, name), {})) == "x"
    journal = guarding.journal(state)
    assert [(entry["agent"], entry["pass"], entry["user"]) for entry in journal] == [
        ("a", None, "s"),
        ("l_critic", 3, "s"),
    ]


def test_a_tool_that_is_not_there_is_answered(made: Made) -> None:
    guard = made.tooling.Guard([], {"a": ("t", "u")}, {}, asks="never")
    state: Json = {}
    tools = guard.tools_of("a", {"t": 1})
    assert (tools["t"], "rm" in tools) == (1, True)
    told = asyncio.run(tools["rm"].run_async(args={"x": 1}, tool_context=Context(state)))
    assert told == guards.unknown("rm", ("t", "u"))
    [entry] = guarding.journal(state)
    assert (entry["tool"], entry["arguments"], entry["decision"]) == ("rm", {"x": 1}, "unknown")


@pytest.mark.parametrize(
    ("asks", "resumable", "can"),
    [
        ("always", True, True),
        ("always", False, True),
        ("resumable", True, True),
        ("resumable", False, False),
        ("never", True, False),
    ],
)
def test_when_a_person_can_be_asked(
    made: Made, monkeypatch: pytest.MonkeyPatch, asks: str, resumable: bool, can: bool
) -> None:
    guard = made.tooling.Guard([], {}, {}, asks=asks)
    context = Context({}, resumable=resumable)._invocation_context
    assert guard.asks(context) == can
    # an old release has no such attribute
    assert guard.asks(types.SimpleNamespace()) == (asks == "always")
    # nor has every release a way to ask
    monkeypatch.setattr(made.tooling, "ToolContext", object)
    assert not guard.asks(context)


@pytest.mark.parametrize("answer", [False, None, "yes", 1, {}])
def test_only_a_plain_yes_confirms(made: Made, answer: Any) -> None:
    ran: list[int] = []
    tool = guarding.Tool("t", lambda: ran.append(1), str, {}, confirm=True)
    guard = made.tooling.Guard([tool], {"a": ("t",)}, {}, asks="always")
    state: Json = {}
    assert decided(guard, {}, state, answer) == guards.denied("t")
    assert [entry["decision"] for entry in guarding.journal(state)] == ["asked", "denied"]
    assert ran == []


def test_rights_are_looked_at_again_when_a_person_has_answered(made: Made) -> None:
    tool = guarding.Tool("t", lambda: "x", str, {}, role="admin", confirm=True)
    guard = made.tooling.Guard([tool], {"a": ("t",)}, {}, asks="always")
    state: Json = {"user:roles": ["admin"]}
    wish = types.SimpleNamespace(name="t")
    assert "waits" in guard.before_tool(wish, {}, Context(state))
    state["user:roles"] = ["viewer"]
    told = guard.before_tool(wish, {}, Context(state, answer=Confirmation(True)))
    assert told == guards.refused("t", "admin", ["viewer"])


def test_the_exit_tool_is_counted_and_not_journalled(made: Made) -> None:
    guard = made.tooling.Guard([], {"l_critic": ("exit_loop",)}, {"l_critic": "l"}, asks="never")
    state: Json = {"l_iterations": 2, "l_exits_before": 0}
    wish = types.SimpleNamespace(name="exit_loop")
    assert not guard.left("l_critic", state)
    for count in (1, 2):
        assert guard.before_tool(wish, {}, Context(state, "l_critic")) is None
        assert state == {"l_iterations": 2, "l_exits_before": 0, "l_exits": count, "l_exit_pass": 2}
    assert guard.left("l_critic", state)
    assert not guard.left("l_critic", {**state, "l_iterations": 1}), "an earlier pass that a resumed run goes through"
    assert not guard.left("l_critic", {**state, "l_exits_before": 2}), "the next run of the loop"
    assert not guard.left("a", state)


# ------------------------------------------------------------------ tools that are steps


def step(made: Made, state: Json, **more: Any) -> Any:
    """Do the step ``wipe`` on ``"x"``."""

    def wipe(node_input: str, **seen: Any) -> str:
        return f"{node_input} {seen['run']['loops']}" if seen else f"wiped {node_input}"

    return asyncio.run(made.tooling.run_step(wipe, str, str, "x", "wipe", state, "s", **more))


def test_a_step_is_guarded_as_in_the_reference(made: Made) -> None:
    config = {"inputType": "str", "outputType": "str", "body": "return 'wiped ' + node_input"}
    for guard in ({}, {"role": "admin"}, {"destructive": True}, {"role": "viewer", "destructive": True}):
        for roles in ((), ("viewer",), ("operator",), ("admin",)):
            for dry_run in (True, False):
                graph = graph_of(one_node("tool", {**config, "guard": guard}, "wipe"))
                turn = Turn(input="x", roles=roles, dry_run=dry_run)
                (wanted,) = play(graph, Scenario(name="s", turns=(turn,))).turns
                state: Json = {"user:roles": list(roles), "guard:dry_run": dry_run}
                own = made.tooling.StepGuard(planned="", **guard)
                if wanted.error is None:
                    assert step(made, state, guard=own) == wanted.output
                else:
                    with pytest.raises(made.values.StepError) as caught:
                        step(made, state, guard=own)
                    assert (caught.value.code, caught.value.step) == (wanted.error.code, wanted.error.path)
                assert rows(guarding.journal(state)) == rows(wanted.journal)


def test_a_step_without_a_guard_leaves_no_entry(made: Made) -> None:
    state: Json = {}
    assert step(made, state) == "wiped x"
    assert state == {}


def test_a_step_is_shown_the_run_only_if_it_asks(made: Made) -> None:
    state: Json = {"l_status": "approved", "l_iterations": 1, "l_feedback": ""}
    assert step(made, state, sees=("l",)) == "x {'l': {'status': 'approved', 'iterations': 1, 'feedback': ''}}"
    assert step(made, state, sees=()) == "x {}"


# ------------------------------------------------------------------ what each mechanism writes


def several(**more: Any) -> Json:
    """A loop with tools of every guard."""
    tools: list[Json] = [
        {"name": "look", "description": "", "returns": "str"},
        {"name": "wipe", "description": "", "returns": "str", "guard": {"destructive": True, "role": 'it\'s "x"'}},
        {"name": "ship", "description": "", "returns": "str", "guard": {"confirm": True}},
        {"name": "spare", "description": "", "returns": "str", "guard": {"confirm": True}},
    ]
    tools[0]["parameters"] = [
        {"name": "word", "type": "str"},
        {"name": "n", "type": "float", "default": 2},
        {"name": "day", "type": "date", "default": None},
    ]
    generator = agent([text("Write.")], tools=["look", "wipe", "box"])
    value = critic_loop(generator=generator, critic=agent([text("Judge.")], tools=["ship", "exit_loop"]), **more)
    config = {"inputType": "str", "outputType": "str", "guard": {"role": "admin"}}
    value["nodes"].append({"id": "b", "type": "tool", "name": "box", "config": config})
    return {**value, "tools": tools}


@pytest.mark.parametrize("name", able(several()))
def test_tools_carry_their_guards(packages: Packages, name: str) -> None:
    guard = packages(project(graph_of(several()), name)).guard
    found = {
        tool.name: (tool.role, tool.destructive, tool.confirm, list(tool.takes), tool.defaults)
        for tool in guard._tools.values()
    }
    assert found == {
        "look": (None, False, False, ["word", "n", "day"], {"n": 2, "day": None}),
        "wipe": ('it\'s "x"', True, False, [], {}),
        "ship": (None, False, True, [], {}),
        "box": ("admin", False, False, ["node_input"], {}),
    }
    assert guard._agents == {"draft_generator": ("look", "wipe", "box"), "draft_critic": ("ship", "exit_loop")}
    assert guard._loops == {"draft_generator": "draft", "draft_critic": "draft"}


@pytest.mark.parametrize("name", able(several()))
def test_each_mechanism_says_when_it_can_ask(packages: Packages, name: str) -> None:
    assert packages(project(graph_of(several()), name)).guard._asks == on_adk(name).asks


@pytest.mark.parametrize("name", able(several()))
def test_only_what_pauses_in_a_resumable_app_brings_one(name: str) -> None:
    value = several()
    source = project(graph_of(value), name)["agent.py"]
    assert ("is_resumable=True" in source) == (on_adk(name).asks == "resumable")
    assert ("app = " in source) == (on_adk(name).asks == "resumable")
    # what no agent may call is never asked for
    value["nodes"][0]["config"]["critic"]["tools"] = ["exit_loop"]
    assert "App" not in project(graph_of(value), name)["agent.py"]


@pytest.mark.parametrize("name", able(several()))
def test_the_exit_tool_is_the_engine_s_where_that_ends_the_loop(name: str) -> None:
    classic = on_adk(name).engine_exit
    files = project(graph_of(several()), name)
    assert ("from google.adk.tools import exit_loop" in files["tools.py"]) == classic
    assert ("_tooling.exit_loop" in files["tools.py"]) != classic
    assert "exits=True" in files["workflow.py"]
    declared = several()
    declared["tools"].append({"name": "exit_loop", "description": "", "returns": "str"})
    files = project(graph_of(declared), name)
    assert "exits=True" not in files["workflow.py"]
    assert "_tooling.exit_loop" not in files["tools.py"]
    assert "import exit_loop" not in files["tools.py"]


def _agents(source: str) -> dict[str, dict[str, str]]:
    """By agent, its arguments as source."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    made = [
        {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg}
        for call in calls
        if ast.unparse(call.func) == "LlmAgent"
    ]
    return {ast.literal_eval(config["name"]): config for config in made}


@pytest.mark.parametrize("name", able(several()))
def test_an_agent_with_tools_is_asked_for_its_schema_in_words(name: str) -> None:
    found = _agents(project(graph_of(several()), name)["agents.py"])
    critic = found["draft_critic"]
    assert "output_schema" not in critic
    assert "gives=schemas.draft_CriticEvaluation" in critic["before_model_callback"]
    assert "schemas.draft_CriticEvaluation" in critic["after_model_callback"]
    # an answer that is text has no schema
    assert "gives=" not in found["draft_generator"]["before_model_callback"]
    assert "after_model_callback" not in found["draft_generator"]
    value = several()
    value["nodes"][0]["config"]["critic"]["tools"] = []
    critic = _agents(project(graph_of(value), name)["agents.py"])["draft_critic"]
    assert critic["output_schema"] == "schemas.draft_CriticEvaluation"
    assert "gives=" not in critic["before_model_callback"]


@pytest.mark.parametrize("name", able(several()))
def test_every_agent_that_has_tools_has_the_guard(name: str) -> None:
    value = several()
    found = _agents(project(graph_of(value), name)["agents.py"])
    assert {each for each, config in found.items() if "before_tool_callback" in config} == set(found)
    value["nodes"][0]["config"]["generator"]["tools"] = []
    found = _agents(project(graph_of(value), name)["agents.py"])
    assert {each for each, config in found.items() if "before_tool_callback" in config} == {"draft_critic"}
    for config in found.values():
        assert ("guard=" in config["before_model_callback"]) == ("tools" in config)


def guarded_steps() -> Json:
    """A loop, a step that is a tool with a guard, and a step that sees the run."""
    value = critic_loop()
    config = {"inputType": "str", "outputType": "int", "guard": {"role": "it's", "destructive": True}}
    sees = {"inputType": "int", "outputType": "str", "body": "return str(run['dry_run'])", "seesRun": True}
    value["nodes"].append({"id": "w", "type": "tool", "name": "wipe", "config": config})
    value["nodes"].append({"id": "s", "type": "function", "name": "see", "config": sees})
    value["edges"] += [{"from": "p", "to": "w"}, {"from": "w", "to": "s"}]
    return value


@pytest.mark.parametrize("name", able(guarded_steps()))
def test_steps_carry_their_guards_and_what_they_see(name: str) -> None:
    files = project(graph_of(guarded_steps()), name)
    calls = [node for node in ast.walk(ast.parse(files["workflow.py"])) if isinstance(node, ast.Call)]
    [guard] = [call for call in calls if ast.unparse(call.func) == "tooling.StepGuard"]
    written = {keyword.arg: ast.literal_eval(keyword.value) for keyword in guard.keywords}
    assert written == {"role": "it's", "destructive": True, "planned": 0}
    seen = [ast.literal_eval(keyword.value) for call in calls for keyword in call.keywords if keyword.arg == "sees"]
    assert seen == [("draft",)]
    assert "def see(node_input: int, run: dict)" in files["functions.py"]
    # no other step does
    assert files["functions.py"].count("run: dict") == 1
