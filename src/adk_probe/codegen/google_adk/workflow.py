"""What the mechanisms share that build a ``Workflow``; they differ in how a loop becomes a node of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from adk_probe.codegen.findings import confirmations, finding, wrong_release
from adk_probe.codegen.google_adk.expressions import agent_keys, loop_agents, loop_rules, member_keys
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
from adk_probe.graph.query import edges_from, edges_into, graphs_of, in_flow, terminals, walk

LoopCode = Callable[[ir.LoopNode, Views], str]


@dataclass(frozen=True, kw_only=True)
class WorkflowMechanism(AdkMechanism):
    """A mechanism on ``google.adk.workflow``.

    Attributes:
        loop_module: module of ``support`` that makes the node of a loop.
        loop_code: the expression that makes it.
        flat: whether the nodes of a loop are nodes of the workflow around it.
        loop_from_state: whether an agent of a loop finds its input in state.
    """

    loop_module: str
    loop_code: LoopCode
    flat: bool = False
    loop_from_state: bool = False
    releases: str = ">=2.0.0"

    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:
        """See ``Mechanism``."""
        found = wrong_release(self.name, release, self.releases, self.engine)
        found += engine_names(self.name, graph, every_node=False)
        found += confirmations(self.name, graph, self.asks)
        for path, inner in graphs_of(graph):
            if mixed_ends(inner):
                text = "some of its ends exclude each other and some do not, so its output has no fixed form"
                found.append(finding(self.name, path, text))
        for path, home, node in walk(graph):
            if isinstance(node, ir.RouterNode) and tangled_routes(home, node):
                text = "two of its routes share a target but not all; the engine has only one edge between two nodes"
                found.append(finding(self.name, path, text))
        for path, _, node in walk(graph):
            if isinstance(node, ir.AgentNode) and node.config.mode == "task":
                text = "a workflow takes no agent of mode 'task' as a step"
                found.append(finding(self.name, path, text))
        return found

    def files(self, views: Views, render: Renderer) -> dict[str, str]:
        """See ``AdkMechanism``."""
        lines = _Lines(views, self)
        lines.graph(views.graph, "root", views.graph.name)
        modules = ["nodes", "prompts", "tooling"]
        if any(isinstance(node, ir.HumanInputNode) for node in views.nodes.values()):
            modules.append("questions")
        if views.loops:
            modules += ["loops", self.loop_module]
        text = render("workflow.py.j2", modules=modules, lines=lines.lines)
        return {"workflow.py": text} | SUPPORT.files(*modules)

    def output_keys(self, views: Views) -> dict[str, str]:
        """See ``AdkMechanism``."""
        return agent_keys(views, views.kept) | (member_keys(views) if self.loop_from_state else {})

    def in_state(self, views: Views) -> frozenset[str]:
        """See ``AdkMechanism``."""
        if not self.loop_from_state:
            return frozenset()
        return frozenset(loop.member(role) for loop in views.loops for role, _ in loop.members)


@dataclass
class _Lines:
    """Writes the statements of ``workflow.py``."""

    views: Views
    mechanism: WorkflowMechanism
    lines: list[str] = field(default_factory=list)
    waiting: dict[str, str] = field(default_factory=dict)

    def graph(self, graph: Graph, symbol: str, name: str) -> None:
        """The statements that make the nodes of a graph, then its ``Workflow``."""
        nodes = [node for node in graph.nodes if in_flow(graph, node)]
        for node in nodes:
            self._node(graph, node)
        edges = [f"(START, {self._into(graph, edge.to)})" for edge in edges_from(graph, START)]
        for node in nodes:
            edges += self._edges(graph, node)
        edges += self._ends(graph, symbol, name)
        description = literal(graph.description or "")
        if symbol != "root":
            description = literal(self._description(name))
        about = f"description={description}, " if description != "''" else ""
        self.lines.append(f"{symbol} = Workflow(name={literal(name)}, {about}edges=[{', '.join(edges)},])")

    def _description(self, name: str) -> str:
        node = self.views.nodes[name]
        return node.config.description or "" if isinstance(node, ir.WorkflowNode) else ""

    def _edges(self, graph: Graph, node: Node) -> list[str]:
        out = edges_from(graph, node.id)
        own = self._ref(graph, node.id)
        if not isinstance(node, ir.RouterNode):
            own_edges = [f"({self.waiting[node.name]}, {own})"] if node.name in self.waiting else []
            if isinstance(node, ir.LoopNode) and self.mechanism.flat:
                own_edges = [f"*{self.views.names['workflow'][node.name]}.edges"]
            return own_edges + [f"({own}, {self._into(graph, edge.to)})" for edge in out]
        same = same_routes(graph, node)
        targets: dict[str, list[str]] = {}
        for edge in out:
            if edge.route not in same:
                targets.setdefault(edge.route or "", []).append(self._into(graph, edge.to))
        pairs = (
            f"{literal(route)}: {refs[0] if len(refs) == 1 else '(' + ', '.join(refs) + ')'}"
            for route, refs in targets.items()
        )
        return [f"({own}, {{{', '.join(pairs)}}})"]

    def _ends(self, graph: Graph, symbol: str, name: str) -> list[str]:
        """What follows the last steps: a join, where several run; keeping the output, where it is read later."""
        last = [self._ref(graph, node.id) for node in terminals(graph)]
        edges: list[str] = []
        if joined_ends(graph):
            ends = self.views.names["workflow"].spare(f"{symbol}_ends")
            inner = self._spare(graph, name + "_ends")
            waits = self._join(graph, ends, inner, [node.id for node in terminals(graph)])
            edges += [f"({ref}, {waits})" for ref in last] + [f"({waits}, {ends})"]
            last = [ends]
        if symbol != "root" and name in self.views.kept:
            kept = self.views.names["workflow"].spare(f"{symbol}_kept")
            inner = literal(self._spare(graph, name + "_output"))
            self.lines.append(f"{kept} = nodes.keep({inner}, {literal(name)})")
            edges += [f"({ref}, {kept})" for ref in last]
        return edges

    @staticmethod
    def _spare(graph: Graph, name: str) -> str:
        taken = {node.name for node in graph.nodes}
        while name in taken:
            name += "_"
        return name

    def _join(self, graph: Graph, symbol: str, name: str, sources: list[str]) -> str:
        """The statements of a join: a node that waits for the branches, one that puts them in order."""
        waits = self.views.names["workflow"].spare(f"{symbol}_branches")
        names = [node.name for source in sources if (node := graph.node(source)) is not None]
        self.lines.append(f"{waits} = JoinNode(name={literal(self._spare(graph, name + '_branches'))})")
        kinds = ", ".join(f"{literal(item)}: {self._leaves(item)}" for item in names)
        self.lines.append(f"{symbol} = nodes.join({literal(name)}, {{{kinds}}})")
        self.waiting[name] = waits
        return waits

    def _leaves(self, name: str) -> str:
        """The type of a node's output. What an agent of text says is text; other text may be that of any value."""
        return self.views.write_type(self.views.types[name].leaves)

    def _into(self, graph: Graph, node_id: str) -> str:
        """The node at which an edge to that node ends."""
        node = graph.node(node_id)
        if isinstance(node, ir.LoopNode) and self.mechanism.flat:
            return f"{self.views.names['workflow'][node.name]}.enter"
        waits = self.waiting.get(node.name) if node is not None else None
        return waits or self._ref(graph, node_id)

    def _ref(self, graph: Graph, node_id: str) -> str:
        node = graph.node(node_id)
        assert node is not None
        if isinstance(node, ir.AgentNode):
            return f"agents.{self.views.names['agents'][node.name]}"
        symbol = self.views.names["workflow"][node.name]
        return f"{symbol}.leave" if isinstance(node, ir.LoopNode) and self.mechanism.flat else symbol

    def _node(self, graph: Graph, node: Node) -> None:
        symbol = self.views.names["workflow"][node.name]
        match node:
            case ir.AgentNode():
                return
            case ir.WorkflowNode(config=config):
                self.graph(config.graph, symbol, node.name)
                return
            case ir.LoopNode():
                code = self.mechanism.loop_code(node, self.views)
            case ir.JoinNode():
                self._join(graph, symbol, node.name, [edge.from_ for edge in edges_into(graph, node.id)])
                return
            case ir.RouterNode():
                same = same_routes(graph, node)
                code = self._plain(node)
                if same:
                    code = f"{code.removesuffix(')')}, same={literal(same)})"
            case _:
                code = self._plain(node)
        self.lines.append(f"{symbol} = {code}")

    def _plain(self, node: Node) -> str:
        views, name = self.views, literal(node.name)
        function = f"functions.{views.names['functions'][node.name]}" if not isinstance(node, ir.HumanInputNode) else ""
        keep = f"keep={node.name in views.kept}"
        match node:
            case ir.FunctionNode(config=config):
                takes = views.write_type(taken_type(node.name, config.input_type, views.types))
                gives = views.write_type(config.output_type)
                message = f"message={config.emits == 'message'}"
                return f"nodes.step({function}, {name}, {takes}, {gives}, {keep}, {message}{self._extras(node)})"
            case ir.ToolNode(config=tool):
                takes = views.write_type(taken_type(node.name, tool.input_type, views.types))
                gives = views.write_type(tool.output_type)
                return f"nodes.step({function}, {name}, {takes}, {gives}, {keep}, message=False{self._extras(node)})"
            case ir.RouterNode(config=router):
                kind = views.write_type(router_type(node, views.types))
                arrives = self.views.write_type(views.types[node.name].arrives)
                return f"nodes.router({function}, {name}, {arrives}, {kind}, {tuple_literal(router.routes)}, {keep})"
            case ir.HumanInputNode(config=human):
                shows = views.write_type(human.payload_ref or views.types[node.name].arrives)
                gives = views.write_type(human.response_schema_ref or "str")
                return f"questions.human({name}, {literal(human.message)}, {shows}, {gives}, {keep})"
        raise AssertionError(f"no code for {type(node).__name__}")

    def _extras(self, node: ir.FunctionNode | ir.ToolNode) -> str:
        return "".join(f", {key}={value}" for key, value in step_extras(node, self.views).items())


def same_routes(graph: Graph, router: ir.RouterNode) -> dict[str, str]:
    """The routes that lead where an earlier one leads too, with that one.

    Many releases refuse a second edge between the same two nodes.
    """
    ends: dict[str, frozenset[str]] = {}
    for edge in edges_from(graph, router.id):
        ends[edge.route or ""] = ends.get(edge.route or "", frozenset()) | {edge.to}
    first: dict[frozenset[str], str] = {}
    return {route: first[end] for route, end in ends.items() if first.setdefault(end, route) != route}


def tangled_routes(graph: Graph, router: ir.RouterNode) -> bool:
    """Whether two routes share one end and part in another, so that neither stands for the other."""
    ends: dict[str, set[str]] = {}
    for edge in edges_from(graph, router.id):
        ends.setdefault(edge.route or "", set()).add(edge.to)
    return any(one & other and one != other for one in ends.values() for other in ends.values())


def loop_call(function: str, *, describes: bool) -> LoopCode:
    """The code of a loop: a call of ``function`` with its rules and agents."""

    def code(node: ir.LoopNode, views: Views) -> str:
        more = f", description={literal(node.config.description or '')}" if describes else ""
        rules = loop_rules(node, views, kept=node.name in views.kept)
        return f"{function}({rules}, {loop_agents(node, views)}{more})"

    return code


__all__ = ["WorkflowMechanism", "loop_call"]
