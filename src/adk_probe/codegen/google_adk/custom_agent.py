"""``custom-agent``: a ``BaseAgent`` subclass that walks the graph in Python."""

from __future__ import annotations

from dataclasses import dataclass, field

from adk_probe.codegen.findings import ConfirmationSupport, confirmations, finding
from adk_probe.codegen.google_adk.expressions import loop_agents, loop_rules
from adk_probe.codegen.google_adk.naming import engine_names
from adk_probe.codegen.google_adk.project import SUPPORT, AdkMechanism
from adk_probe.codegen.source.literals import literal, tuple_literal
from adk_probe.codegen.source.render import Renderer
from adk_probe.codegen.views import Views
from adk_probe.codegen.views.ends import joined_ends, mixed_ends
from adk_probe.codegen.views.functions import router_type, taken_type
from adk_probe.codegen.views.steps import step_extras
from adk_probe.graph import ir
from adk_probe.graph.ir import START, Finding, Graph, Node
from adk_probe.graph.query import in_flow, terminals, walk

NAME = "custom-agent"


@dataclass(frozen=True, kw_only=True)
class CustomAgentMechanism(AdkMechanism):
    """The graph as a table, and an agent that walks it."""

    name: str = NAME
    asks: ConfirmationSupport = "never"

    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:  # noqa: ARG002
        """See ``Mechanism``."""
        found = engine_names(NAME, graph, every_node=False) + confirmations(NAME, graph, self.asks)
        for path, _, node in walk(graph):
            if isinstance(node, ir.AgentNode) and node.config.mode == "task":
                found.append(finding(NAME, path, "an agent of mode 'task' needs the engine's own dispatch"))
        return found

    def output_keys(self, views: Views) -> dict[str, str]:  # noqa: ARG002
        """See ``AdkMechanism``; the walk takes the answers itself."""
        return {}

    def once(self, views: Views) -> frozenset[str]:  # noqa: ARG002
        """See ``AdkMechanism``; the walk itself knows what is done."""
        return frozenset()

    def in_state(self, views: Views) -> frozenset[str]:
        """See ``AdkMechanism``."""
        return frozenset(agent.name for agent in views.agents)

    def files(self, views: Views, render: Renderer) -> dict[str, str]:
        """See ``AdkMechanism``."""
        lines = _Lines(views)
        lines.root()
        modules = ["interpreter", "prompts", "tooling", *(["interpreter_loops", "loops"] if views.loops else [])]
        text = render("workflow.py.j2", modules=modules, lines=lines.lines)
        return {"workflow.py": text} | SUPPORT.files(*modules)


@dataclass
class _Lines:
    """Writes the statements of ``workflow.py``."""

    views: Views
    lines: list[str] = field(default_factory=list)

    def root(self) -> None:
        """The statements that make every step, then the root agent."""
        graph = self.views.graph
        self._graph(graph, "graph")
        symbols = self.views.names["agents"]
        agents = ", ".join(f"agents.{symbols[agent.name]}" for agent in self.views.agents)
        self.lines.append(
            f"root = interpreter.GraphAgent(name={literal(graph.name)}, "
            f"description={literal(graph.description or '')}, graph=graph, sub_agents=[{agents}])"
        )

    def _graph(self, graph: Graph, symbol: str) -> None:
        nodes = [node for node in graph.nodes if in_flow(graph, node)]
        steps = [f"{literal(node.name)}: {self._step(node, graph)}" for node in nodes]
        names = {node.id: node.name for node in nodes} | {START: START}
        edges = [
            f"({literal(names[edge.from_])}, {literal(names[edge.to])}, {literal(edge.route)})" for edge in graph.edges
        ]
        ends = tuple(node.name for node in terminals(graph))
        kept = sorted(node.name for node in nodes if node.name in self.views.kept)
        parts = [f"steps={{{', '.join(steps)},}}", f"edges=({', '.join(edges)},)", f"ends={tuple_literal(ends)}"]
        if joined_ends(graph) or mixed_ends(graph):
            parts.append("several=True")
        if kept:
            parts.append(f"kept=frozenset({literal(kept)})")
        self.lines.append(f"{symbol} = interpreter.Graph({', '.join(parts)})")

    def _step(self, node: Node, graph: Graph) -> str:
        views = self.views
        functions, write_type = views.names["functions"], views.write_type
        match node:
            case ir.AgentNode(config=agent):
                symbol = views.names["agents"][node.name]
                return f"interpreter.Answer(agents.{symbol}, {write_type(agent.output_schema_ref)})"
            case ir.FunctionNode() | ir.ToolNode():
                config = node.config
                takes = write_type(taken_type(node.name, config.input_type, views.types))
                gives = write_type(config.output_type)
                message = isinstance(node, ir.FunctionNode) and node.config.emits == "message"
                says = message or (graph is views.graph and node in terminals(graph))
                more = ", says=True" if says else ""
                more += "".join(f", {key}={value}" for key, value in step_extras(node, views).items())
                return f"interpreter.Step(functions.{functions[node.name]}, {takes}, {gives}{more})"
            case ir.RouterNode(config=router):
                routes = tuple_literal(router.routes)
                kind = write_type(router_type(node, views.types))
                arrives = write_type(views.types[node.name].arrives)
                return f"interpreter.Route(functions.{functions[node.name]}, {arrives}, {kind}, {routes})"
            case ir.JoinNode():
                return "interpreter.Join()"
            case ir.HumanInputNode(config=human):
                shows = write_type(human.payload_ref or views.types[node.name].arrives)
                gives = write_type(human.response_schema_ref or "str")
                return f"interpreter.Ask({literal(human.message)}, {shows}, {gives})"
            case ir.LoopNode():
                return f"interpreter_loops.Passes({loop_rules(node, views)}, {loop_agents(node, views)})"
            case ir.WorkflowNode(config=nested):
                symbol = views.names["workflow"][node.name]
                self._graph(nested.graph, symbol)
                return symbol


MECHANISM = CustomAgentMechanism()
