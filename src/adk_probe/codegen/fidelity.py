"""What the fidelity runner needs to know: a scenario, what must be seen, and where each thing stands.

The runner (``probes/fidelity/run_fidelity.py``) lives inside a target, where this package is not; so all that it needs
of the graph is put into a job, which is plain JSON.
"""

from __future__ import annotations

from typing import Any

import msgspec

from adk_probe.graph import ir
from adk_probe.graph.query import schemas_of, terminals, tools_of, topological, walk
from adk_probe.graph.reference import play
from adk_probe.graph.scenario import Scenario
from adk_probe.graph.trace import canonical
from adk_probe.graph.whole import Whole

JOB_VERSION = 1


def fidelity_job(graph: ir.Graph, mechanism: str, scenario: Scenario) -> dict[str, Any]:
    """The job of one cell.

    Args:
        graph: a valid graph.
        mechanism: by which its project was generated.
        scenario: what models, people and the clock do.

    Returns:
        A JSON value; the same arguments give the same value.

    Raises:
        InputError: the scenario does not fit the graph.
    """
    nodes = {path: node for path, _, node in walk(graph)}
    return {
        "version": JOB_VERSION,
        "id": f"fidelity/{graph.name}/{mechanism}/{scenario.name}",
        "graph": graph.name,
        "mechanism": mechanism,
        "scenario": msgspec.to_builtins(scenario),
        "expected": canonical(play(graph, scenario), graph)["turns"],
        "nodes": {node.name: {"path": path, "type": _type(node)} for path, node in nodes.items()},
        "agents": dict(_agents(graph)),
        "order": _order(graph),
        "concerns": _concerns(graph),
        "ends": _ends(graph),
        "tools": _tools(graph),
        "roles": sorted(_roles(graph)),
    }


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
    whole = Whole(graph)
    entries = [(path, home, node) for path, home, node in walk(graph)]
    return {
        there: [here for here, _, node in entries if here == there or whole.is_ancestor(node, home, failed)]
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


def _roles(graph: ir.Graph) -> set[str]:
    guards = [tool.guard for tool in tools_of(graph)]
    guards += [node.config.guard for _, _, node in walk(graph) if isinstance(node, ir.ToolNode)]
    return {guard.role for guard in guards if guard is not None and guard.role is not None}
