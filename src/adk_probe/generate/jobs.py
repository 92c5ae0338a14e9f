"""What the fidelity runner needs to know: a scenario, what must be seen, and where each thing stands.

The runner (``probes/fidelity/run_fidelity.py``) lives inside a target, where this package is not; so all that it needs
of the graph is put into a job, which is plain JSON.
"""

from __future__ import annotations

from typing import Any

import msgspec

from adk_probe.graph import guards, ir
from adk_probe.graph.index import GraphIndex
from adk_probe.graph.query import agents_of, guards_of, schemas_of, terminals, tools_of, topological, walk
from adk_probe.graph.reading.scenario import RandomModels, Scenario
from adk_probe.graph.reference.interpreter import play, roles_of
from adk_probe.graph.reference.trace import canonical
from adk_probe.graph.reference.world import World

JOB_VERSION = 1
RANDOM = "random-models"
"""Name of the scenario in which random models have the graph's tools."""


def fidelity_job(graph: ir.Graph, mechanism: str, scenario: Scenario, world: World | None = None) -> dict[str, Any]:
    """The job of one cell.

    Args:
        graph: a valid graph.
        mechanism: by which its project was generated.
        scenario: what models, people and the clock do.
        world: what tools act on, if the scenarios have one.

    Returns:
        A JSON value; the same arguments give the same value.

    Raises:
        InputError: the scenario does not fit the graph.
    """
    for tool in tools_of(graph):
        if tool.import_ is not None and world is not None:
            world.function(tool.import_)
    asked = _expected(graph, scenario, world, asks=True)
    unasked = _expected(graph, scenario, world, asks=False)
    job = {
        "version": JOB_VERSION,
        "id": f"fidelity/{graph.name}/{mechanism}/{scenario.name}",
        "mechanism": mechanism,
        "scenario": msgspec.to_builtins(scenario),
        "expected": asked["turns"],
        **_about(graph),
    }
    if world is not None:
        job["world"] = {"module": world.name, "expected": asked["world"]}
    if unasked != asked:
        job["unasked"] = unasked
    return job


def random_job(
    graph: ir.Graph, mechanism: str, random: RandomModels, world: World, setups: list[Any]
) -> dict[str, Any]:
    """The job of the cell in which random models have the graph's tools.

    Args:
        graph: a valid graph.
        mechanism: by which its project was generated.
        random: how many, and the seed.
        world: what tools act on.
        setups: of the world, from which one is drawn for each example.
    """
    return {
        "version": JOB_VERSION,
        "id": f"fidelity/{graph.name}/{mechanism}/{RANDOM}",
        "mechanism": mechanism,
        "expected": [],
        "random": {"examples": random.examples, "seed": random.seed, "setups": setups, **_drawn(graph, world)},
        "world": {"module": world.name, "expected": None},
        "scenario": {"name": RANDOM, "turns": []},
        **_about(graph),
    }


def _drawn(graph: ir.Graph, world: World) -> dict[str, Any]:
    """What random models draw from, and the rules that they are held to."""
    tools, guarded = tools_of(graph), guards_of(graph)
    loops = [node for _, _, node in walk(graph) if isinstance(node, ir.LoopNode)]
    own = f"{world.name}:"
    return {
        "passes": max((loop.config.max_iterations for loop in loops), default=0),
        "agents": {name: list(agent.tools) for _, _, node in walk(graph) for name, agent in agents_of(node)},
        "tools": {tool.name: {item.name: item.type for item in tool.parameters} for tool in tools},
        # those that are guarded: what others do, a graph's own steps may do as well
        "imports": {
            tool.name: tool.import_[len(own) :]
            for tool in tools
            if tool.import_ is not None and tool.import_.startswith(own) and tool.name in guarded
        },
        "destructive": [name for name, guard in guarded.items() if guard.destructive],
        "confirm": [name for name, guard in guarded.items() if guard.confirm],
        "roles": {name: role for name, guard in guarded.items() if (role := guards.needed(guard)) is not None},
    }


def _about(graph: ir.Graph) -> dict[str, Any]:
    """What a runner must know of the graph, whatever is played."""
    nodes = {path: node for path, _, node in walk(graph)}
    return {
        "graph": graph.name,
        "nodes": {node.name: {"path": path, "type": _type(node)} for path, node in nodes.items()},
        "agents": dict(_agents(graph)),
        "order": _order(graph),
        "concerns": _concerns(graph),
        "ends": _ends(graph),
        "tools": _tools(graph),
        "roles": list(roles_of(graph)),
    }


def _expected(graph: ir.Graph, scenario: Scenario, world: World | None, *, asks: bool) -> dict[str, Any]:
    """What must be seen where a person can be asked to confirm a tool's call, or cannot."""
    trace = play(graph, scenario, world, asks=asks)
    return {"turns": canonical(trace, graph)["turns"], "world": trace.world}


def _type(node: ir.Node) -> str:
    return str(type(node).__struct_config__.tag)


def _agents(graph: ir.Graph) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    for path, _, node in walk(graph):
        if isinstance(node, ir.AgentNode):
            takes, gives = node.config.input_schema_ref or "str", node.config.output_schema_ref
            about = {"path": path, "loop": None, "role": None, "textIn": takes == "str", "textOut": gives == "str"}
            found.append((node.name, about))
        elif isinstance(node, ir.LoopNode):
            request = node.config.input_type or node.config.generator.input_schema_ref or "str"
            for role, _config in node.members:
                about = {
                    "path": f"{path}/{node.member(role)}",
                    "loop": node.name,
                    "role": role,
                    "textIn": request == "str",
                    "textOut": role != "critic" and node.config.payload_type == "str",
                }
                found.append((node.member(role), about))
    return found


def _order(graph: ir.Graph) -> dict[str, int]:
    """The place of each node, by path: each after all before it, what is inside a node before the node."""
    order: list[str] = []

    def visit(inner: ir.Graph, path: str) -> None:
        for node in topological(inner):
            here = f"{path}/{node.name}" if path else node.name
            if isinstance(node, ir.WorkflowNode):
                visit(node.config.graph, here)
            order.append(here)

    visit(graph, "")
    return {path: index for index, path in enumerate(order)}


def _concerns(graph: ir.Graph) -> dict[str, list[str]]:
    """For each node, by path, those that had to be done for it to fail."""
    index = GraphIndex(graph)
    entries = [(path, home, node) for path, home, node in walk(graph)]
    return {
        there: [here for here, _, node in entries if here == there or index.is_ancestor(node, home, failed)]
        for there, home, failed in entries
    }


def _ends(graph: ir.Graph) -> list[dict[str, Any]]:
    """The last steps of a graph, in file order; of a nested graph with its own."""
    return [
        {
            "name": node.name,
            "ends": _ends(node.config.graph) if isinstance(node, ir.WorkflowNode) else [],
        }
        for node in terminals(graph)
    ]


def _tools(graph: ir.Graph) -> dict[str, dict[str, Any]]:
    schemas = {schema.name for schema in schemas_of(graph)}
    tools: dict[str, dict[str, Any]] = {}
    for _, _, node in walk(graph):
        if isinstance(node, ir.ToolNode):
            tools[node.name] = {"object": node.config.output_type in schemas, "import": None}
    for tool in tools_of(graph):
        tools[tool.name] = {"object": tool.returns in schemas, "import": tool.import_}
    return tools
