"""``loopgraph``: the engine LoopGraph, in which a loop is an edge back to a node that may be visited so often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adk_probe.codegen.literals import tuple_literal
from adk_probe.codegen.mechanisms._loopgraph import Drawing, mixed_inside
from adk_probe.codegen.mechanisms.base import Sample, confirmations, finding, pydantic_names, wrong_release
from adk_probe.codegen.render import Renderer
from adk_probe.codegen.views import Views
from adk_probe.graph import ir
from adk_probe.graph.guards import needed
from adk_probe.graph.ir import EXIT_TOOL, Finding, Graph
from adk_probe.graph.query import has_exit, terminals

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
    on_request: bool = False

    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:
        """See ``Mechanism``."""
        found = wrong_release(NAME, release, RELEASES, ENGINE)
        if graph.name in _TAKEN:
            found.append(finding(NAME, "", f"a project called {graph.name} would hide a package that it needs"))
        found += pydantic_names(NAME, graph) + confirmations(NAME, graph, "never")
        for path in mixed_inside(graph):
            text = "some of its ends exclude each other and some do not, and a SUBGRAPH ends at one TERMINAL"
            found.append(finding(NAME, path, text))
        return found

    def project(self, views: Views, render: Renderer, sample: Sample) -> dict[str, str]:
        """See ``WholeProject``."""
        drawing = Drawing(views)
        drawn = drawing.graph(views.graph)
        tools, guards = views.tools, _guards(views)
        ends_loops = any(has_exit(views.graph, loop.config.critic) for loop in views.loops)
        variables: dict[str, Any] = {
            "agents": views.agents,
            "answers": sample.answers,
            "confirm": ", ".join(f"`{tool.name}`" for tool in tools if tool.confirm),
            "destructive": any(guard.destructive for guard in guards),
            "drawn": drawn,
            "ends": tuple_literal(tuple(node.name for node in terminals(views.graph))),
            "exits": EXIT_TOOL if ends_loops else "",
            "functions": views.functions,
            "handlers": drawing.handlers,
            "humans": any(isinstance(node, ir.HumanInputNode) for node in views.nodes.values()),
            "journal": bool(guards),
            "loops": views.loops,
            "request": sample.request,
            "roles": any(needed(guard) for guard in guards),
            "schemas": views.schemas,
            "tools": tools,
        }
        files = {path: render(f"loopgraph/{path}.j2", **variables) for path in (*_OWN, "graph.py")}
        files |= {path: render(f"project/{path}.j2", **variables) for path in _SHARED}
        if tools or ends_loops:
            files["tools.py"] = render("loopgraph/tools.py.j2", **variables)
        files[".env.example"] = render("loopgraph/env.example.j2")
        files |= render.support("guarding")
        for module in _SUPPORT:
            files[f"support/{module}.py"] = render(f"loopgraph/{module}.py.j2")
        return files


def _guards(views: Views) -> list[ir.Guard]:
    """The guards of the tools that agents call, and of those that are drawn as nodes."""
    called = [ir.Guard(role=tool.role, destructive=tool.destructive, confirm=tool.confirm) for tool in views.tools]
    drawn = [node.config.guard for node in views.nodes.values() if isinstance(node, ir.ToolNode)]
    return called + [guard for guard in drawn if guard is not None]


MECHANISM = LoopGraphMechanism()
