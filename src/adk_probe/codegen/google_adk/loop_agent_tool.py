"""``loop-agent-tool``: the classic agents as a tool of a chat agent, which talks with the user."""

from __future__ import annotations

from dataclasses import dataclass

from adk_probe.codegen.findings import ConfirmationSupport, finding
from adk_probe.codegen.google_adk.loop_agent import LoopAgentMechanism
from adk_probe.codegen.google_adk.project import SUPPORT
from adk_probe.codegen.source.literals import literal
from adk_probe.codegen.source.render import Renderer
from adk_probe.codegen.views import Views
from adk_probe.graph import ir
from adk_probe.graph.ir import Finding, Graph
from adk_probe.graph.query import terminals, walk

NAME = "loop-agent-tool"

_SPEAKS = (ir.AgentNode, ir.FunctionNode, ir.ToolNode)


@dataclass(frozen=True, kw_only=True)
class LoopAgentToolMechanism(LoopAgentMechanism):
    """The classic way, in a session of the tool's own; a tool inside of a tool cannot wait for a person."""

    name: str = NAME
    on_request: bool = True
    asks: ConfirmationSupport = "never"

    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:
        """See ``Mechanism``."""
        found = super().cannot_express(graph, release)
        ends = terminals(graph)
        if len(ends) != 1 or not isinstance(ends[0], _SPEAKS):
            text = "a tool's result is its agent's last text, so the graph needs exactly one last step with text"
            found.append(finding(NAME, "", text))
        return found

    def files(self, views: Views, render: Renderer) -> dict[str, str]:
        """See ``AdkMechanism``."""
        taken = set(views.nodes) | {agent.name for agent in views.agents} | {views.graph.name}
        name = f"{views.graph.name}_chat"
        while name in taken:
            name += "_"
        chat = render("chat.py.j2", chat=name, model=_model(views.graph))
        return super().files(views, render) | {"chat.py": chat} | SUPPORT.files("chatting")


def _model(graph: Graph) -> str:
    """The model of the graph's first agent, as an expression."""
    models = (agent.model for _, _, node in walk(graph) for agent in _configs(node))
    return literal(next(models, "gemini-2.5-flash"))


def _configs(node: ir.Node) -> tuple[ir.AgentConfig, ...]:
    if isinstance(node, ir.LoopNode):
        return (node.config.generator,)
    return (node.config,) if isinstance(node, ir.AgentNode) else ()


MECHANISM = LoopAgentToolMechanism()
