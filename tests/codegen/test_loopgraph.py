"""The mechanism for LoopGraph: what it draws, and what it refuses."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from codegen_samples import FILES, STEMS, agent, corpus, critic_loop, graph_file, graph_of, one_node, project, text

from adk_probe.codegen import CANNOT_EXPRESS, emit, mechanism
from adk_probe.codegen.source.symbols import RESERVED
from adk_probe.graph import ir

NAME = "loopgraph"
STEP = {"inputType": "str", "outputType": "str", "body": "return node_input"}
LAYOUT = {
    ".env.example",
    "README.md",
    "__init__.py",
    "agent.py",
    "agents.py",
    "functions.py",
    "graph.py",
    "instructions.py",
    "main.py",
    "models.py",
    "pyproject.toml",
    "schemas.py",
    "support/__init__.py",
    "support/command.py",
    "support/drawing.py",
    "support/guarding.py",
    "support/loops.py",
    "support/models.py",
    "support/prompts.py",
    "support/running.py",
    "support/sessions.py",
    "support/steps.py",
    "support/tooling.py",
    "support/values.py",
    "test_smoke.py",
}


def of(nodes: Mapping[str, tuple[str, Any]], *edges: str, **more: Any) -> dict[str, Any]:
    """A graph of nodes by name, and edges like ``a b`` or ``a b route``."""
    made = [dict(zip(("from", "to", "route"), edge.split(), strict=False)) for edge in edges]
    return {
        "irVersion": "0.2.0",
        "name": "graph",
        "schemas": [],
        "nodes": [{"id": name, "name": name, "type": kind, "config": config} for name, (kind, config) in nodes.items()],
        "edges": made,
        **more,
    }


def drawn(graph: ir.Graph) -> tuple[dict[str, dict[str, Any]], list[tuple[str, ...]]]:
    """The nodes of the outermost drawing by name, with the kind and what else is said, and the edges."""
    tree = ast.parse(project(graph, NAME)["graph.py"])
    [value] = [item.value for item in tree.body if isinstance(item, ast.Assign) and item.targets[0].id == "GRAPH"]  # type: ignore[attr-defined]
    assert isinstance(value, ast.Call)
    nodes, edges = value.args
    assert isinstance(nodes, ast.List)
    found: dict[str, dict[str, Any]] = {}
    for call in nodes.elts:
        assert isinstance(call, ast.Call)
        more = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
        found[ast.literal_eval(call.args[0])] = {"kind": call.func.attr, **more}  # type: ignore[attr-defined]
    return found, ast.literal_eval(edges)


@pytest.mark.parametrize("path", FILES, ids=STEMS)
def test_every_graph_is_generated(path: Path) -> None:
    graph = graph_file(path)
    assert mechanism(NAME).cannot_express(graph, None) == []
    files = corpus()[path.name.removesuffix(".ir.json"), NAME]
    assert set(files) - {"tools.py"} == LAYOUT
    for file, source in files.items():
        assert "google.adk" not in source
        if file.endswith(".py"):
            ast.parse(source, file, feature_version=(3, 10))


def test_a_loop_is_an_edge_back_that_the_engine_bounds() -> None:
    nodes, edges = drawn(graph_of(critic_loop(maxIterations=7)))
    assert nodes["draft-draft"] == {"kind": "task", "partial": True, "visits": 7}
    assert [name for name, about in nodes.items() if "visits" in about] == ["draft-draft"]
    assert nodes["draft-route"] == {"kind": "switch"}
    assert ("draft-route", "draft-draft", "revise") in edges
    assert {edge[2] for edge in edges if edge[:2] == ("draft-route", "draft")} == {"pass", "late", "exit"}
    assert ("START", "draft-enter") in edges
    assert ("draft", "publish") in edges


def test_a_router_hands_on_its_value_by_relays() -> None:
    router = {"routes": ["long", "short"], "body": "return 'long'"}
    nodes = {"r": ("router", router), "a": ("function", STEP), "b": ("function", STEP), "end": ("function", STEP)}
    made, edges = drawn(graph_of(of(nodes, "START r", "r a long", "r b short", "a end", "b end")))
    assert made["r"] == {"kind": "switch"}
    assert {("r", "r-a", "long"), ("r-a", "a"), ("r", "r-b", "short"), ("r-b", "b")} <= set(edges)
    assert made["end"] == {"kind": "task", "partial": True}
    assert made["a"] == {"kind": "task"}


def test_two_routes_to_one_node_share_a_relay() -> None:
    nodes = {"r": ("router", {"routes": ["x", "y"]}), "a": ("function", STEP)}
    made, edges = drawn(graph_of(of(nodes, "START r", "r a x", "r a y")))
    assert made["a"] == {"kind": "task"}
    assert sorted(edges) == [("START", "r"), ("r", "r-a", "x"), ("r", "r-a", "y"), ("r-a", "a")]


def test_a_join_is_an_aggregate_in_the_order_of_its_edges() -> None:
    nodes = {"b": ("function", STEP), "a": ("function", STEP), "j": ("join", {}), "end": ("function", STEP)}
    graph = graph_of(of(nodes, "START a", "START b", "b j", "a j", "j end"))
    made, _ = drawn(graph)
    assert made["j"] == {"kind": "join"}
    assert '"j": steps.Join("j", ("b", "a"))' in project(graph, NAME)["graph.py"]


def test_a_workflow_is_a_graph_with_one_end() -> None:
    ends = {"x": ("function", STEP), "y": ("function", STEP)}
    inner = of(ends, "START x", "START y", name="inner")
    source = project(graph_of(of({"w": ("workflow", {"graph": inner})}, "START w")), NAME)["graph.py"]
    assert 'drawing.join("w-ends")' in source
    assert 'drawing.end("w-end")' in source
    assert '"w-ends": steps.Gather(("x", "y"))' in source


def test_mixed_ends_are_refused_inside_and_fine_outside() -> None:
    router = {"routes": ["x", "y"]}
    nodes = {"r": ("router", router), **dict.fromkeys(("x", "y", "z"), ("function", STEP))}
    mixed = of(nodes, "START r", "r x x", "r y y", "START z", name="inner")
    assert mechanism(NAME).cannot_express(graph_of(mixed), None) == []
    assert 'ENDS = ("x", "y", "z")' in project(graph_of(mixed), NAME)["graph.py"]
    outer = of({"w": ("workflow", {"graph": mixed}), "after": ("function", STEP)}, "START w", "w after")
    [finding] = mechanism(NAME).cannot_express(graph_of(outer), None)
    assert (finding.code, finding.path) == (CANNOT_EXPRESS, "w")
    assert NAME in finding.message


def tool(name: str, **guard: Any) -> dict[str, Any]:
    """A declared tool."""
    return {"name": name, "description": "", "returns": "str", "parameters": [], "guard": guard}


def with_tools(*tools: dict[str, Any], generator: tuple[str, ...] = (), critic: tuple[str, ...] = ()) -> ir.Graph:
    """A loop whose agents have tools."""
    value = critic_loop()
    value["tools"] = list(tools)
    value["nodes"][0]["config"]["generator"]["tools"] = list(generator)
    value["nodes"][0]["config"]["critic"]["tools"] = list(critic)
    return graph_of(value)


def test_a_tool_that_must_be_confirmed_is_generated_and_the_readme_says_that_it_never_runs() -> None:
    graph = with_tools(tool("wipe", confirm=True), generator=("wipe",))
    assert mechanism(NAME).cannot_express(graph, None) == []
    files = project(graph, NAME)
    assert "confirm=True" in files["tools.py"]
    assert "never runs here, and the model is told so:\n`wipe`." in files["README.md"]


def test_a_step_that_must_be_confirmed_is_refused() -> None:
    graph = graph_of(one_node("tool", {**STEP, "guard": {"confirm": True}}, "wipe"))
    [finding] = mechanism(NAME).cannot_express(graph, None)
    assert (finding.code, finding.path) == (CANNOT_EXPRESS, "wipe")
    assert NAME in finding.message


def test_a_step_has_its_guard() -> None:
    files = project(graph_of(one_node("tool", {**STEP, "guard": {"role": "clerk", "destructive": True}}, "wipe")), NAME)
    assert 'tooling.StepGuard(role="clerk", destructive=True, planned="")' in files["graph.py"]
    assert "--dry-run" in files["README.md"]


def test_a_step_that_sees_the_run_is_told_which_loops_came_before_it() -> None:
    value = critic_loop()
    value["nodes"][1]["config"] |= {"seesRun": True, "body": "return str(run['dry_run'])"}
    files = project(graph_of(value), NAME)
    assert 'sees=("draft",)' in files["graph.py"]
    assert "def publish(node_input: str, run: dict) -> str:" in files["functions.py"]


@pytest.mark.parametrize(
    ("guard", "told"),
    [({}, False), ({"role": "clerk"}, True), ({"destructive": True}, True), ({"confirm": True}, False)],
)
def test_the_readme_speaks_of_roles_where_a_tool_needs_one(guard: dict[str, Any], told: bool) -> None:
    files = project(with_tools(tool("wipe", **guard), generator=("wipe",)), NAME)
    assert ("need a role of the user" in files["README.md"]) == told
    assert ("--dry-run" in files["README.md"]) == bool(guard.get("destructive"))


def test_the_exit_of_a_loop_is_a_tool_of_its_critic() -> None:
    files = project(with_tools(critic=("exit_loop",)), NAME)
    assert '"exit_loop": tooling.Exit("exit_loop"),' in files["tools.py"]
    assert 'tools=(tools.TOOLS["exit_loop"],)' in files["agents.py"]
    assert "approves by calling it" in files["README.md"]


def test_a_declared_tool_of_that_name_is_no_exit() -> None:
    files = project(with_tools(tool("exit_loop"), critic=("exit_loop",)), NAME)
    assert "tooling.Exit" not in files["tools.py"]
    assert "functions.exit_loop" in files["tools.py"]
    assert "approves by calling it" not in files["README.md"]


@pytest.mark.parametrize("name", ["loopgraph", "pydantic", "google"])
def test_a_name_that_would_hide_a_package_is_refused(name: str) -> None:
    value = one_node("function", STEP)
    value["name"] = name
    [finding] = mechanism(NAME).cannot_express(graph_of(value), None)
    assert name in finding.message


def test_a_field_that_pydantic_keeps_is_refused() -> None:
    thing = {"name": "Thing", "fields": [{"name": "model_dump", "type": "str"}]}
    config = {"inputType": "str", "outputType": "Thing"}
    [finding] = mechanism(NAME).cannot_express(graph_of(one_node("function", config, schemas=[thing])), None)
    assert "model_dump" in finding.message


def test_an_older_release_is_refused() -> None:
    graph = graph_of(critic_loop())
    assert mechanism(NAME).cannot_express(graph, "0.5.1") == []
    [finding] = mechanism(NAME).cannot_express(graph, "0.4.0")
    assert "loopgraph >=0.5.1" in finding.message


@pytest.mark.parametrize("word", ["Any", "agents", "schemas", "str", "steps", "loops", "drawing", "GRAPH", "tools"])
@pytest.mark.parametrize("kind", ["function", "agent"])
def test_names_that_the_code_needs_itself_stay_apart(word: str, kind: str) -> None:
    config = STEP if kind == "function" else agent([text("Say.")])
    files = project(graph_of(one_node(kind, config, word)), NAME)
    assert f'"{word}": steps.' in files["graph.py"]
    for file in ("graph.py", "agents.py"):
        tree = ast.parse(files[file])
        names = [item.targets[0].id for item in tree.body if isinstance(item, ast.Assign)]  # type: ignore[attr-defined]
        assert set(names) <= {"GRAPH", "HANDLERS", "ENDS", "AGENTS"}
    for file in ("functions.py", "instructions.py", "schemas.py"):
        imports = [item for item in ast.parse(files[file]).body if isinstance(item, ast.ImportFrom)]
        assert {alias.name for item in imports for alias in item.names} <= RESERVED | mechanism(NAME).reserved


@pytest.mark.parametrize("nasty", ["{x}", "'\"\\", '"""', "\n# x", "\x00", "\u2028", "{{ name }}", "{% raw %}", "-->"])
def test_text_is_data(nasty: str) -> None:
    value = critic_loop(generator=agent([text(nasty)], model=nasty), description=nasty)
    value["description"] = nasty
    value["nodes"].append(
        {"id": "r", "name": "pick", "type": "router", "config": {"routes": [nasty], "description": nasty}}
    )
    value["nodes"].append({"id": "h", "name": "ask", "type": "humanInput", "config": {"message": nasty}})
    value["edges"] += [{"from": "p", "to": "r"}, {"from": "r", "to": "h", "route": nasty}]
    files = project(graph_of(value), NAME)
    for file in ("graph.py", "agents.py", "instructions.py"):
        constants = [node.value for node in ast.walk(ast.parse(files[file])) if isinstance(node, ast.Constant)]
        assert nasty in constants
    tomllib.loads(files["pyproject.toml"])


def test_the_project_says_where_it_is_proven() -> None:
    files = emit(graph_of(critic_loop()), "0" * 64, "x.ir.json", NAME, ">=0.5.1", ">=3.10")
    declared = tomllib.loads(files["pyproject.toml"])["project"]
    assert declared["dependencies"] == ["loopgraph>=0.5.1", "pydantic>=2"]
    assert declared["requires-python"] == ">=3.10"
    assert "loopgraph" in files["README.md"]
