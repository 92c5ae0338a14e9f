"""``loopgraph``: the engine LoopGraph, in which a loop is an edge back to a node that may be visited so often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adk_probe.codegen.literals import tuple_literal
from adk_probe.codegen.mechanisms._loopgraph import Drawing, mixed_inside
from adk_probe.codegen.mechanisms.base import Sample, finding, guards, pydantic_names, wrong_release
from adk_probe.codegen.render import Renderer
from adk_probe.codegen.views import Views
from adk_probe.graph import ir
from adk_probe.graph.ir import Finding, Graph
from adk_probe.graph.query import agent_tools, agents_of, terminals, tools_of

NAME = "loopgraph"
ENGINE = "loopgraph"
RELEASES = ">=0.5.1"

_TAKEN = frozenset({"loopgraph", "pydantic", "pydantic_core", "google"})
"""Packages that a project of the same name would hide from itself."""

_SUPPORT = ("drawing", "loops", "prompts", "running", "sessions", "steps", "tooling", "values")
_OWN = ("__init__.py", "agent.py", "agents.py", "main.py", "models.py", "pyproject.toml", "README.md", "test_smoke.py")
_SHARED = ("functions.py", "instructions.py", "schemas.py")


@dataclass(frozen=True)
class LoopGraphMechanism:
    """Nodes as handlers, a loop as an edge back, a join as AGGREGATE, a router as SWITCH, a workflow as SUBGRAPH."""

    name: str = NAME
    engine: str = ENGINE

    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:
        """See ``Mechanism``."""
        found = wrong_release(NAME, release, RELEASES, ENGINE)
        if graph.name in _TAKEN:
            found.append(finding(NAME, "", f"a project called {graph.name} would hide a package that it needs"))
        found += pydantic_names(NAME, graph) + guards(NAME, graph, loops=False, agents=False)
        for path in mixed_inside(graph):
            text = "some of its ends exclude each other and some do not, and a SUBGRAPH ends at one TERMINAL"
            found.append(finding(NAME, path, text))
        return found

    def project(self, views: Views, render: Renderer, sample: Sample) -> dict[str, str]:
        """See ``WholeProject``."""
        drawing = Drawing(views)
        drawn = drawing.graph(views.graph)
        tools = _tools(views)
        variables: dict[str, Any] = {
            "agents": views.agents,
            "answers": sample.answers,
            "drawn": drawn,
            "ends": tuple_literal(tuple(node.name for node in terminals(views.graph))),
            "functions": views.functions,
            "handlers": drawing.handlers,
            "humans": any(isinstance(node, ir.HumanInputNode) for node in views.nodes.values()),
            "loops": views.loops,
            "request": sample.request,
            "roles": any(tool["role"] for tool in tools) or drawing.roles,
            "schemas": views.schemas,
            "tool_names": {name: config.tools for node in views.nodes.values() for name, config in agents_of(node)},
            "tools": tools,
        }
        files = {path: render(f"loopgraph/{path}.j2", **variables) for path in (*_OWN, "graph.py")}
        files |= {path: render(f"project/{path}.j2", **variables) for path in _SHARED}
        if tools:
            files["tools.py"] = render("loopgraph/tools.py.j2", **variables)
        files[".env.example"] = render("loopgraph/env.example.j2")
        files["support/__init__.py"] = '"""What this project needs beside the engine."""\n'
        for module in _SUPPORT:
            files[f"support/{module}.py"] = render(f"loopgraph/{module}.py.j2")
        return files


def _tools(views: Views) -> list[dict[str, Any]]:
    """What the template of tools shows: those that some agent may call."""
    used = agent_tools(views.graph)
    made = []
    for node in views.nodes.values():
        if isinstance(node, ir.ToolNode) and node.name in used:
            config = node.config
            takes = (ir.ToolParameter(name="node_input", type=config.input_type),)
            text = config.description or f"The tool {node.name}."
            made.append(_tool(node.name, text, takes, config.output_type, config.guard, views))
    return made + [
        _tool(tool.name, tool.description, tool.parameters, tool.returns, tool.guard, views)
        for tool in tools_of(views.graph)
        if tool.name in used
    ]


def _tool(
    name: str,
    description: str,
    parameters: tuple[ir.ToolParameter, ...],
    returns: str,
    guard: ir.Guard | None,
    views: Views,
) -> dict[str, Any]:
    guard = guard or ir.Guard()
    return {
        "name": name,
        "description": description,
        "target": views.names["functions"][name],
        "gives": views.write_type(returns),
        "takes": [(item.name, views.write_type(item.type)) for item in parameters],
        "defaults": {item.name: item.default for item in parameters if item.has_default},
        "role": guard.role,
        "destructive": guard.destructive,
    }


MECHANISM = LoopGraphMechanism()
