"""``loop-agent``: the classic agents, ``SequentialAgent``, ``ParallelAgent`` and ``LoopAgent``."""

from __future__ import annotations

from dataclasses import dataclass, field

from adk_probe.codegen.findings import ConfirmationSupport, confirmations, finding
from adk_probe.codegen.google_adk.expressions import agent_keys, loop_agents, loop_rules, member_keys
from adk_probe.codegen.google_adk.naming import engine_names
from adk_probe.codegen.google_adk.project import SUPPORT, AdkMechanism
from adk_probe.codegen.google_adk.sequence import NotSequential, One, Parallel, Sequence, sequence_of
from adk_probe.codegen.source.literals import literal
from adk_probe.codegen.source.render import Renderer
from adk_probe.codegen.views import Views
from adk_probe.codegen.views.functions import taken_type
from adk_probe.codegen.views.steps import step_extras
from adk_probe.graph import ir
from adk_probe.graph.ir import START, Finding, Graph, Node
from adk_probe.graph.query import graphs_of, terminals, walk

NAME = "loop-agent"


@dataclass(frozen=True, kw_only=True)
class LoopAgentMechanism(AdkMechanism):
    """The classic way, for graphs that are nests of sequences, parallels and loops."""

    name: str = NAME
    asks: ConfirmationSupport = "resumable"
    engine_exit: bool = True

    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:  # noqa: ARG002
        """See ``Mechanism``."""
        found = engine_names(self.name, graph, every_node=True) + confirmations(self.name, graph, self.asks)
        for path, _, node in walk(graph):
            if isinstance(node, ir.RouterNode):
                found.append(finding(self.name, path, "the classic agents have no routes"))
            elif isinstance(node, ir.HumanInputNode):
                found.append(finding(self.name, path, "a paused sequence starts from its beginning again"))
            elif isinstance(node, ir.AgentNode) and node.config.mode == "task":
                found.append(finding(self.name, path, "the classic agents have no mode 'task'"))
        if found:
            return found
        for path, inner in graphs_of(graph):
            try:
                sequence_of(inner)
            except NotSequential as fault:
                here = "/".join(part for part in (path, fault.node.name if fault.node else "") if part)
                found.append(finding(self.name, here, fault.reason))
        return found

    def output_keys(self, views: Views) -> dict[str, str]:
        """See ``AdkMechanism``."""
        return agent_keys(views, views.nodes) | member_keys(views)

    def in_state(self, views: Views) -> frozenset[str]:
        """See ``AdkMechanism``."""
        return frozenset(agent.name for agent in views.agents)

    def files(self, views: Views, render: Renderer) -> dict[str, str]:
        """See ``AdkMechanism``."""
        lines = _Lines(views)
        lines.root()
        modules = ["classic", "prompts", "tooling", *(["classic_loops", "loops"] if views.loops else [])]
        text = render("workflow.py.j2", modules=modules, lines=lines.lines)
        return {"workflow.py": text} | SUPPORT.files(*modules)


@dataclass
class _Lines:
    """Writes the statements of ``workflow.py``."""

    views: Views
    lines: list[str] = field(default_factory=list)
    engine_names: set[str] = field(default_factory=set)

    def root(self) -> None:
        """The statements that make every step, then the root agent."""
        graph = self.views.graph
        self.engine_names = set(self.views.nodes) | {graph.name}
        ends = {node.name for node in terminals(graph)}
        parts = [f"classic.Receive(name={self._name(graph.name + '_start')})"]
        parts += self._sequence(sequence_of(graph), START, ends, f"{graph.name}_ends")[0]
        description = graph.description or f"The agent {graph.name}."
        self.lines.append(self._sequential("root", graph.name, description, parts))

    def _name(self, wanted: str) -> str:
        """A name for an agent that stands for no node, as a literal; the engine wants each name once."""
        while wanted in self.engine_names:
            wanted += "_"
        self.engine_names.add(wanted)
        return literal(wanted)

    @staticmethod
    def _sequential(symbol: str, name: str, description: str | None, parts: list[str]) -> str:
        text = literal(description or "")
        return f"{symbol} = SequentialAgent(name={literal(name)}, description={text}, sub_agents=[{', '.join(parts)},])"

    def _sequence(self, sequence: Sequence, source: str, ends: set[str], gathered: str) -> tuple[list[str], str]:
        """The expressions of a sequence's agents, and the name of the step that ends it.

        Args:
            sequence: the steps.
            source: name of the step that feeds the graph.
            ends: names of functions that speak, because the run ends with them.
            gathered: name for the join of several ends.
        """
        made: list[str] = []
        last = source
        for part in sequence.parts:
            if isinstance(part, One):
                made.append(self._step(part.node, source if part.source == START else part.source, ends))
                last = part.node.name
            else:
                more, last = self._parallel(part, source, ends, gathered)
                made += more
        return made, last

    def _parallel(self, part: Parallel, source: str, ends: set[str], gathered: str) -> tuple[list[str], str]:
        name = part.join.name if part.join else gathered
        branches = []
        for index, branch in enumerate(part.branches, 1):
            steps = self._sequence(branch, source, ends, gathered)[0]
            if steps:
                own = self._name(f"{name}_branch_{index}")
                branches.append(f"SequentialAgent(name={own}, sub_agents=[{', '.join(steps)}])")
        sources = [source if item == START else item for item in part.sources]
        made = [f"ParallelAgent(name={self._name(name + '_branches')}, sub_agents=[{', '.join(branches)}])"]
        joined = literal(name) if part.join else self._name(name)
        made.append(f"classic.Join(name={joined}, sources={literal(sources)})")
        return made, name if part.join else joined[1:-1]

    def _step(self, node: Node, source: str, ends: set[str]) -> str:
        symbol, name, views = self.views.names["workflow"][node.name], literal(node.name), self.views
        match node:
            case ir.AgentNode():
                return f"classic.answering(agents.{views.names['agents'][node.name]}, {literal(source)})"
            case ir.LoopNode(config=config):
                more = f"{loop_agents(node, views)}, description={literal(config.description or '')}"
                code = f"classic_loops.loop_sequence({loop_rules(node, views)}, {literal(source)}, {more})"
            case ir.WorkflowNode(config=nested):
                inner = sequence_of(nested.graph)
                parts, last = self._sequence(inner, source, set(), f"{node.name}_ends")
                end = self._name(f"{node.name}_end")
                parts.append(f"classic.Output(name={end}, owner={name}, source={literal(last)})")
                self.lines.append(self._sequential(symbol, node.name, nested.description, parts))
                return symbol
            case ir.JoinNode():
                code = f"classic.Join(name={name}, sources=[{literal(source)}])"
            case ir.FunctionNode() | ir.ToolNode():
                code = self._function(node, source, ends)
            case _:
                raise AssertionError(f"no code for {type(node).__name__}")
        self.lines.append(f"{symbol} = {code}")
        return symbol

    def _function(self, node: ir.FunctionNode | ir.ToolNode, source: str, ends: set[str]) -> str:
        views, config = self.views, node.config
        message = isinstance(node, ir.FunctionNode) and node.config.emits == "message"
        parts = {
            "name": literal(node.name),
            "description": literal(config.description or ""),
            "function": f"functions.{views.names['functions'][node.name]}",
            "takes": views.write_type(taken_type(node.name, config.input_type, views.types)),
            "gives": views.write_type(config.output_type),
            "source": literal(source),
            "says": str(message or node.name in ends),
        }
        parts |= step_extras(node, views)
        return f"classic.Step({', '.join(f'{key}={value}' for key, value in parts.items())})"


MECHANISM = LoopAgentMechanism()
