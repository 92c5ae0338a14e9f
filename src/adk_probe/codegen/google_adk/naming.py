"""Names that the engine keeps for itself."""

from __future__ import annotations

from adk_probe.codegen.findings import finding, pydantic_names
from adk_probe.graph import ir
from adk_probe.graph.ir import Finding, Graph
from adk_probe.graph.query import tools_of, walk


def engine_names(mechanism: str, graph: Graph, *, every_node: bool) -> list[Finding]:
    """Findings about names that the engine keeps for itself: no agent may be called ``user``."""
    found = _in_schemas_and_tools(mechanism, graph)
    for path, _, node in walk(graph):
        agent = every_node or isinstance(node, ir.AgentNode)
        if agent and node.name == "user":
            found.append(finding(mechanism, path, "the engine keeps the name 'user' for the person"))
    return found


def _in_schemas_and_tools(mechanism: str, graph: Graph) -> list[Finding]:
    return pydantic_names(mechanism, graph) + [
        finding(
            mechanism, "", f"the engine keeps the parameter name 'tool_context' for itself, in the tool {tool.name}"
        )
        for tool in tools_of(graph)
        if any(item.name == "tool_context" for item in tool.parameters)
    ]
