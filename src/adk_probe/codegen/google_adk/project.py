"""What the projects of every mechanism on google-adk share; mechanisms differ in how the steps hang together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adk_probe.codegen import sample
from adk_probe.codegen.findings import ConfirmationSupport
from adk_probe.codegen.google_adk import ENGINE
from adk_probe.codegen.source.literals import literal
from adk_probe.codegen.source.render import Renderer
from adk_probe.codegen.source.support import Support
from adk_probe.codegen.source.symbols import SHARED
from adk_probe.codegen.spec import Spec
from adk_probe.codegen.views import Views
from adk_probe.graph import ir
from adk_probe.graph.ir import EXIT_TOOL, Finding, Graph
from adk_probe.graph.query import has_exit

PACKAGE = Path(__file__).parent
SUPPORT = Support(PACKAGE)
NAMES = frozenset({"root", "root_agent", "graph", "workflow", "types", "tool_context"}) | {
    *("LlmAgent", "BaseAgent", "LoopAgent", "ParallelAgent", "SequentialAgent", "FunctionTool", "ToolContext"),
    *("START", "JoinNode", "Workflow"),
    *("_exit_loop", "_functions", "_tooling", "_Tool"),
}
"""Names that the templates of this engine use, beside those of support modules."""

_PROJECT = ("__init__.py", "agent.py", "schemas.py", "functions.py", "test_smoke.py", "pyproject.toml", "README.md")


@dataclass(frozen=True, kw_only=True)
class AdkMechanism(ABC):
    """A mechanism on google-adk.

    Attributes:
        asks: when a run can pause for a person inside of a tool's call.
        engine_exit: whether a loop is ended by the engine's own ``exit_loop``, which escalates.
    """

    name: str
    on_request: bool = False
    asks: ConfirmationSupport = "always"
    engine_exit: bool = False

    @property
    def engine(self) -> str:
        """See ``Mechanism``."""
        return ENGINE

    @property
    def reserved(self) -> frozenset[str]:
        """See ``Mechanism``."""
        return SHARED | NAMES | SUPPORT.names

    @abstractmethod
    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:
        """See ``Mechanism``."""

    @abstractmethod
    def files(self, views: Views, render: Renderer) -> dict[str, str]:
        """Return the files that differ from mechanism to mechanism: path in the project to text."""

    @abstractmethod
    def in_state(self, views: Views) -> frozenset[str]:
        """Return the names of the agents whose input a step before them puts into session state."""

    @abstractmethod
    def output_keys(self, views: Views) -> dict[str, str]:
        """Return for each agent that leaves its answer in session state the key under which it does."""

    def once(self, views: Views) -> frozenset[str]:
        """Return the names of the agents that must be kept from answering again when a run is resumed."""
        return self.in_state(views)

    def project(self, spec: Spec, views: Views) -> dict[str, str]:
        """See ``Mechanism``."""
        render = Renderer(PACKAGE, **spec.variables)
        own = self.files(views, render)
        variables = {**_shown(spec, views), **self._about(views), "chats": "chat.py" in own}
        files = {path: render(f"{path}.j2", **variables) for path in _PROJECT}
        files[".env.example"] = render("env.example.j2")
        for name in ("agents.py", "instructions.py", *(["tools.py"] if views.tools or variables["exits"] else [])):
            files[name] = render(f"{name}.j2", **variables)
        return own | files

    def _about(self, views: Views) -> dict[str, Any]:
        """What the mechanism says of the agents of a project, and of their tools."""
        confirms = any(tool.confirm for tool in views.tools)
        exits = any(has_exit(views.graph, loop.config.critic) for loop in views.loops)
        return {
            "in_state": self.in_state(views),
            "output_keys": self.output_keys(views),
            "once": self.once(views),
            "asks": self.asks,
            "confirms": confirms,
            "resumable": confirms and self.asks == "resumable",
            "engine_exit": exits and self.engine_exit,
            "exits": views.names["tools"][EXIT_TOOL] if exits else "",
        }


def _shown(spec: Spec, views: Views) -> dict[str, Any]:
    """What templates show of a graph, whatever the mechanism."""
    steps = [node.config.guard for node in views.nodes.values() if isinstance(node, ir.ToolNode)]
    return {
        "guard": views.names["tools"].spare("_guard"),
        "app_name": spec.distribution.replace("-", "_"),
        "schemas": views.schemas,
        "functions": views.functions,
        "tools": views.tools,
        "agents": views.agents,
        "answers": literal(sample.answers(views)),
        "request": sample.request(views),
        "loops": views.loops,
        "guarded": any(tool.role or tool.destructive or tool.confirm for tool in views.tools) or any(steps),
    }
