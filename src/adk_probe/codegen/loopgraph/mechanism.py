"""``loopgraph``: the engine LoopGraph, in which a loop is an edge back to a node that may be visited so often."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adk_probe.codegen import sample
from adk_probe.codegen.findings import confirmations, finding, pydantic_names, wrong_release
from adk_probe.codegen.loopgraph import ENGINE
from adk_probe.codegen.loopgraph.drawing import Drawing, mixed_inside
from adk_probe.codegen.source.literals import literal, tuple_literal
from adk_probe.codegen.source.render import Renderer
from adk_probe.codegen.source.support import Support
from adk_probe.codegen.source.symbols import SHARED
from adk_probe.codegen.spec import Spec
from adk_probe.codegen.views import Views
from adk_probe.graph import ir
from adk_probe.graph.guards import needed
from adk_probe.graph.ir import EXIT_TOOL, Finding, Graph
from adk_probe.graph.query import has_exit, terminals

NAME = "loopgraph"
RELEASES = ">=0.5.1"

_TAKEN = frozenset({"loopgraph", "pydantic", "pydantic_core", "google"})
"""Packages that a project of the same name would hide from itself."""

NAMES = frozenset({"agent", "conversation", "graph", "main", "models", "AGENTS", "ENDS", "GRAPH", "HANDLERS", "TOOLS"})
"""Names that the templates of this engine use, beside those of support modules."""

PACKAGE = Path(__file__).parent
SUPPORT = Support(PACKAGE)
_PROJECT = (
    "__init__.py",
    "agent.py",
    "agents.py",
    "functions.py",
    "graph.py",
    "instructions.py",
    "main.py",
    "models.py",
    "pyproject.toml",
    "README.md",
    "schemas.py",
    "test_smoke.py",
)


@dataclass(frozen=True)
class LoopGraphMechanism:
    """Nodes as handlers, a loop as an edge back, a join as AGGREGATE, a router as SWITCH, a workflow as SUBGRAPH."""

    name: str = NAME
    engine: str = ENGINE
    on_request: bool = False
    reserved: frozenset[str] = SHARED | NAMES | SUPPORT.names

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

    def project(self, spec: Spec, views: Views) -> dict[str, str]:
        """See ``Mechanism``."""
        render = Renderer(PACKAGE, **spec.variables)
        variables = {**_drawn(views), **_shown(views)}
        files = {path: render(f"{path}.j2", **variables) for path in _PROJECT}
        if variables["tools"] or variables["exits"]:
            files["tools.py"] = render("tools.py.j2", **variables)
        files[".env.example"] = render("env.example.j2")
        return files | SUPPORT.files(*SUPPORT.names)


def _drawn(views: Views) -> dict[str, Any]:
    """What ``graph.py`` shows."""
    drawing = Drawing(views)
    drawn = drawing.graph(views.graph)
    ends = tuple_literal(tuple(node.name for node in terminals(views.graph)))
    return {"drawn": drawn, "handlers": drawing.handlers, "ends": ends}


def _shown(views: Views) -> dict[str, Any]:
    """What the other templates show."""
    guards = _guards(views)
    ends_loops = any(has_exit(views.graph, loop.config.critic) for loop in views.loops)
    return {
        "agents": views.agents,
        "answers": literal(sample.answers(views)),
        "confirm": ", ".join(f"`{tool.name}`" for tool in views.tools if tool.confirm),
        "destructive": any(guard.destructive for guard in guards),
        "exits": EXIT_TOOL if ends_loops else "",
        "functions": views.functions,
        "humans": any(isinstance(node, ir.HumanInputNode) for node in views.nodes.values()),
        "journal": bool(guards),
        "loops": views.loops,
        "request": sample.request(views),
        "roles": any(needed(guard) for guard in guards),
        "schemas": views.schemas,
        "tools": views.tools,
    }


def _guards(views: Views) -> list[ir.Guard]:
    """The guards of the tools that agents call, and of those that are drawn as nodes."""
    called = [ir.Guard(role=tool.role, destructive=tool.destructive, confirm=tool.confirm) for tool in views.tools]
    drawn = [node.config.guard for node in views.nodes.values() if isinstance(node, ir.ToolNode)]
    return called + [guard for guard in drawn if guard is not None]


MECHANISM = LoopGraphMechanism()
