"""Worlds: the module beside a scenario file that tools act on, loaded, set up, used, and looked at."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from graph_samples import Json, agent, dump, function, graph

from adk_probe.errors import InputError
from adk_probe.graph.reading.scenario import Answer, Scenario, ToolCall, Turn
from adk_probe.graph.reference.interpreter import play
from adk_probe.graph.reference.running_bodies import BodyError, run_body
from adk_probe.graph.reference.trace import Trace
from adk_probe.graph.reference.world import World, load_world
from adk_probe.graph.rules.validate import check

SOURCE = """
from dataclasses import dataclass, field


@dataclass
class Shelf:
    things: list = field(default_factory=list)


shelf = Shelf()


class Full(Exception):
    pass


def reset(things=(), most=3):
    global shelf, room
    shelf, room = Shelf(list(things)), most


def snapshot():
    return {"things": shelf.things, "room": room}


def put(thing, times=1):
    if len(shelf.things) + times > room:
        raise Full(f"no room for {thing}")
    shelf.things += [thing] * times
    return len(shelf.things)


def odd():
    return object()
"""
PARAMETERS = [{"name": "thing", "type": "str"}, {"name": "times", "type": "int", "default": 1}]


@pytest.fixture
def world() -> World:
    return World("shelf_world", SOURCE, "shelf_world.py")


def shelved(*tools: Json) -> Json:
    """An agent with these tools, then a function that looks at the world."""
    look = function("look", "import shelf_world\nreturn str(shelf_world.snapshot()['things'])")
    names = [each["name"] for each in tools]
    return graph([agent("a", "Go.", tools=names), look], "START>a a>look", tools=list(tools))


def tool(name: str = "put", parameters: Any = PARAMETERS, returns: str = "int", **more: Any) -> Json:
    made = {"name": name, "description": "", "parameters": parameters, "returns": returns}
    return {**made, "import": f"shelf_world:{name}", **more}


def said(*calls: ToolCall) -> dict[str, Any]:
    return {"a": (*(Answer(call=each) for each in calls), "done")}


def put(thing: str, **more: Any) -> ToolCall:
    return ToolCall(tool="put", args={"thing": thing, **more})


def played(value: Json, world: World | None, *turns: Turn, setup: Json | None = None) -> Trace:
    made, findings = check(dump(value), "f")
    assert made is not None, [str(each) for each in findings]
    return play(made, Scenario(name="s", turns=turns, world=setup or {}), world)


# ------------------------------------------------------------------ loading


def test_a_world_is_loaded_from_beside_the_scenarios(tmp_path: Path) -> None:
    (tmp_path / "shelf_world.py").write_text(SOURCE, encoding="utf-8")
    world = load_world(tmp_path, "shelf_world")
    world.reset({"things": ["a"], "most": 2})
    assert world.snapshot() == {"things": ["a"], "room": 2}
    assert (world.name, world.source) == ("shelf_world", SOURCE)
    # it is nobody else's
    assert "shelf_world" not in sys.modules


def test_what_was_loaded_under_the_name_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    other = object()
    monkeypatch.setitem(sys.modules, "shelf_world", other)
    World("shelf_world", SOURCE, "f")
    assert sys.modules["shelf_world"] is other
    with pytest.raises(InputError):
        World("shelf_world", "1 / 0", "f")
    assert sys.modules["shelf_world"] is other


@pytest.mark.parametrize("name", ["other", "", "../shelf_world", "shelf world", "shelf_world.py"])
def test_a_world_that_is_not_there(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "shelf_world.py").write_text(SOURCE, encoding="utf-8")
    (inside / "shelf world.py").write_text(SOURCE, encoding="utf-8")
    with pytest.raises(InputError, match="there is no world"):
        load_world(inside, name)


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("def reset(:", "w.py: SyntaxError"),
        ("1 / 0", "w.py: ZeroDivisionError"),
        ("import no_such_module_anywhere", "w.py: ModuleNotFoundError"),
        ("\0", "w.py: "),
        ("", "w.py: it has no function reset"),
        ("def snapshot(): pass", "w.py: it has no function reset"),
        ("def reset(): pass", "w.py: it has no function snapshot"),
        ("reset = 1\ndef snapshot(): pass", "w.py: it has no function reset"),
    ],
)
def test_what_is_no_world(tmp_path: Path, source: str, fault: str) -> None:
    (tmp_path / "w.py").write_text(source, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_world(tmp_path, "w")
    assert caught.value.message.startswith(fault)
    assert "w" not in sys.modules


@pytest.mark.parametrize(
    "setup", [{"nonsense": 1}, {"things": 3}], ids=["no such parameter", "a value that it trips over"]
)
def test_a_setup_that_the_world_does_not_take_is_a_fault_of_the_scenario(world: World, setup: Json) -> None:
    with pytest.raises(InputError, match="the world shelf_world does not take"):
        played(shelved(tool()), world, Turn(input="x", answers=said()), setup=setup)


# ------------------------------------------------------------------ what acts on it


def test_a_tool_that_imports_from_the_world_runs_it(world: World) -> None:
    turn = Turn(input="x", answers=said(put("a"), put("b", times=2), put("c")))
    trace = played(shelved(tool()), world, turn)
    (seen,) = trace.turns
    assert seen.calls[-1].tool_results == (1, 3, {"error": "put failed: Full: no room for c"})
    assert [each["decision"] for each in seen.journal] == ["ran", "ran", "failed"]
    assert seen.output == "['a', 'b', 'b']"
    assert trace.world == {"things": ["a", "b", "b"], "room": 3}


@pytest.mark.parametrize(
    ("guard", "settings", "decision"),
    [
        ({"role": "admin"}, {"roles": ()}, "refused"),
        ({"destructive": True}, {"dry_run": True}, "planned"),
        ({"confirm": True}, {"confirm": {"put": (False,)}}, "denied"),
    ],
)
def test_what_does_not_come_to_run_leaves_the_world_as_it_was(
    world: World, guard: Json, settings: Any, decision: str
) -> None:
    turn = Turn(input="x", answers=said(put("a")), **settings)
    trace = played(shelved(tool(guard=guard)), world, turn, setup={"things": ["z"]})
    assert trace.turns[0].journal[-1]["decision"] == decision
    assert trace.world == {"things": ["z"], "room": 3}


def test_what_is_not_of_the_world_is_told_by_the_scenario(world: World) -> None:
    other = tool("other", parameters=[], **{"import": "elsewhere:put"})
    turn = Turn(
        input="x", answers=said(ToolCall(tool="other"), put("a")), tools={"other": (7,), "missing": (8,), "put": (9,)}
    )
    value = shelved(other, tool())
    assert played(value, world, turn).turns[0].calls[-1].tool_results == (7, 1)
    value["nodes"][1]["config"]["body"] = "return ''"
    assert played(value, None, turn).turns[0].calls[-1].tool_results == (7, 9)
    assert played(value, None, turn).world is None


def test_a_tool_imports_what_the_world_has_not(world: World) -> None:
    turn = Turn(input="x", answers=said(ToolCall(tool="missing")), tools={"missing": (8,)})
    with pytest.raises(InputError, match="no function missing, which a tool imports"):
        played(shelved(tool("missing", parameters=[])), world, turn)


@pytest.mark.parametrize(
    ("snapshot", "words"),
    [("return {1}", "set"), ("raise ValueError('broken')", "broken"), ("return float('nan')", "float")],
)
def test_a_snapshot_is_a_json_value(snapshot: str, words: str) -> None:
    made = World("w", f"def reset():\n    pass\ndef snapshot():\n    {snapshot}", "w.py")
    with pytest.raises(InputError, match=f"the world w: snapshot: .*{words}"):
        made.snapshot()


def test_a_world_that_ends_the_process_is_told() -> None:
    with pytest.raises(InputError, match=r"w\.py: SystemExit: 3"):
        World("w", "raise SystemExit(3)", "w.py")


def test_a_tool_of_the_world_that_gives_what_it_may_not(world: World) -> None:
    turn = Turn(input="x", answers=said(put("a")))
    (seen,) = played(shelved(tool(returns="str")), world, turn).turns
    assert seen.calls[-1].tool_results == ({"error": "put failed: its result is not of its type"},)
    assert seen.tool_uses == ()
    odd = tool("odd", parameters=[])
    (seen,) = played(shelved(odd), world, Turn(input="x", answers=said(ToolCall(tool="odd")))).turns
    assert [each["decision"] for each in seen.journal] == ["failed"]
    assert seen.calls[-1].tool_results[0]["error"].startswith("odd failed: ")


@pytest.mark.parametrize(
    "body",
    [
        "import shelf_world\nreturn shelf_world.put(node_input)",
        "from shelf_world import put\nreturn put(node_input)",
        "import json, shelf_world as w\nreturn w.put(json.loads(json.dumps(node_input)))",
    ],
)
def test_a_body_may_import_the_world(world: World, body: str) -> None:
    world.reset({})
    assert run_body(body, {"node_input": "a"}, {}, world) == 1
    assert world.snapshot()["things"] == ["a"]
    with pytest.raises(BodyError, match="may not import shelf_world"):
        run_body(body, {"node_input": "a"}, {})
    with pytest.raises(BodyError, match="may not import os"):
        run_body("import os\nreturn 1", {}, {}, world)


# ------------------------------------------------------------------ one play after the other


def test_two_plays_share_nothing(world: World) -> None:
    turn = Turn(input="x", answers=said(put("a")))
    first = played(shelved(tool()), world, turn)
    assert first.world == {"things": ["a"], "room": 3}
    assert played(shelved(tool()), world, turn) == first
    assert played(shelved(tool()), world, turn, setup={"things": ["z"]}).world == {"things": ["z", "a"], "room": 3}


def test_the_turns_of_one_play_share_the_world(world: World) -> None:
    turns = [Turn(input="x", session=name, answers=said(put(name))) for name in ("ann", "bob", "ann")]
    trace = played(shelved(tool()), world, *turns)
    assert [turn.output for turn in trace.turns] == ["['ann']", "['ann', 'bob']", "['ann', 'bob', 'ann']"]
    assert trace.world["things"] == ["ann", "bob", "ann"]
