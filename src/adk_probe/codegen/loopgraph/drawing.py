"""Writes a graph as LoopGraph's nodes and edges, and the handlers of the nodes.

A node has its IR name; nodes that the IR has not have a hyphen in theirs, which no IR name has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from adk_probe.codegen.source.literals import literal, tuple_literal
from adk_probe.codegen.views import Views
from adk_probe.codegen.views.ends import joined_ends, mixed_ends
from adk_probe.codegen.views.functions import router_type, taken_type
from adk_probe.codegen.views.steps import step_extras
from adk_probe.graph import ir
from adk_probe.graph.flow import UNKNOWN
from adk_probe.graph.ir import START, Graph, Node
from adk_probe.graph.query import edges_into, graphs_of, in_flow, terminals, topological

Arrow = tuple[str, ...]
"""From, to and, out of a switch, the route."""


def mixed_inside(graph: Graph) -> Iterator[str]:
    """Paths of nested graphs of whose ends some exclude each other and some do not."""
    return (path for path, inner in graphs_of(graph) if path and mixed_ends(inner))


@dataclass
class Drawing:
    """Draws graphs; what their nodes do is gathered in ``handlers``.

    Attributes:
        handlers: lines of a dict from node to handler.
    """

    views: Views
    handlers: list[str] = field(default_factory=lambda: ["'START': steps.start"])

    def graph(self, graph: Graph, owner: str = "") -> str:
        """The expression that draws a graph.

        Args:
            graph: the outermost graph or a nested one.
            owner: name of the workflow node that it is nested in.
        """
        start = f"{owner}-start" if owner else START
        if owner:
            self._handler(start, "steps.start")
        nodes, arrows = [f"drawing.task({literal(start)})"], self._arrows(graph, start)
        for node in topological(graph):
            if in_flow(graph, node):
                nodes += self._nodes(graph, node)
                arrows += self._inner(node)
        nodes += self._relays(graph)
        if owner:
            more, last = self._ending(graph, owner)
            nodes += more
            arrows += last
        drawn = ", ".join(_arrow(arrow) for arrow in arrows)
        return f"drawing.draw([{', '.join(nodes)},], [{drawn},])"

    def _handler(self, node: str, code: str) -> None:
        self.handlers.append(f"{literal(node)}: {code}")

    # ------------------------------------------------------------------ edges

    def _arrows(self, graph: Graph, start: str) -> list[Arrow]:
        """The edges of the IR, in its order; those of a router by way of a relay, as a switch hands on its route."""
        arrows: list[Arrow] = []
        for edge in graph.edges:
            source, target = graph.node(edge.from_), graph.node(edge.to)
            assert target is not None
            into = f"{target.name}-enter" if isinstance(target, ir.LoopNode) else target.name
            if isinstance(source, ir.RouterNode):
                relay = f"{source.name}-{target.name}"
                made: list[Arrow] = [(source.name, relay, edge.route or ""), (relay, into)]
            else:
                made = [(source.name if source is not None else start, into)]
            arrows += [arrow for arrow in made if arrow not in arrows]
        return arrows

    @staticmethod
    def _inner(node: Node) -> list[Arrow]:
        """The edges inside a loop."""
        if not isinstance(node, ir.LoopNode):
            return []
        enter, draft, judge, route = (f"{node.name}-{part}" for part in ("enter", "draft", "judge", "route"))
        ways: list[Arrow] = [(route, draft, "revise")]
        ways += [(route, node.name, way) for way in ("pass", "late", "exit")]
        return [(enter, draft), (draft, judge), (judge, route), *ways]

    def _ending(self, graph: Graph, owner: str) -> tuple[list[str], list[Arrow]]:
        """The nodes and edges behind the last steps of a nested graph: its one end."""
        end, ends = f"{owner}-end", f"{owner}-ends"
        names = tuple(node.name for node in terminals(graph))
        self._handler(end, f"steps.End({literal(owner)}{self._kept(owner)})")
        if not joined_ends(graph):
            partial = ", partial=True" if len(names) > 1 else ""
            return [f"drawing.end({literal(end)}{partial})"], [(name, end) for name in names]
        self._handler(ends, f"steps.Gather({tuple_literal(names)})")
        arrows: list[Arrow] = [*((name, ends) for name in names), (ends, end)]
        return [f"drawing.join({literal(ends)})", f"drawing.end({literal(end)})"], arrows

    # ------------------------------------------------------------------ nodes

    def _relays(self, graph: Graph) -> list[str]:
        found: dict[str, str] = {}
        for edge in graph.edges:
            source, target = graph.node(edge.from_), graph.node(edge.to)
            if isinstance(source, ir.RouterNode) and target is not None:
                found[f"{source.name}-{target.name}"] = source.name
        for relay, router in found.items():
            self._handler(relay, f"steps.Relay({literal(router)})")
        return [f"drawing.task({literal(relay)})" for relay in found]

    def _nodes(self, graph: Graph, node: Node) -> list[str]:
        """The expressions of a node, of a loop all of its nodes; their handlers are noted."""
        name = literal(node.name)
        many = len({edge.from_ for edge in edges_into(graph, node.id)}) > 1
        partial = ", partial=True" if many and not isinstance(node, ir.JoinNode) else ""
        match node:
            case ir.LoopNode(config=loop):
                self.handlers.append(f"**{self._loop(node)}.handlers")
                enter, draft, judge, route = (
                    literal(f"{node.name}-{part}") for part in ("enter", "draft", "judge", "route")
                )
                return [
                    f"drawing.task({enter})",
                    f"drawing.task({draft}, partial=True, visits={loop.max_iterations})",
                    f"drawing.task({judge})",
                    f"drawing.switch({route})",
                    f"drawing.task({name})",
                ]
            case ir.WorkflowNode(config=nested):
                return [f"drawing.nested({name}, {self.graph(nested.graph, node.name)}{partial})"]
            case ir.RouterNode():
                self._handler(node.name, self._route(node))
                return [f"drawing.switch({name}{partial})"]
            case ir.JoinNode():
                sources = tuple(dict.fromkeys(edge.from_ for edge in edges_into(graph, node.id)))
                names = tuple(source.name for key in sources if (source := graph.node(key)) is not None)
                self._handler(node.name, f"steps.Join({name}, {tuple_literal(names)}{self._kept(node.name)})")
                return [f"drawing.join({name})"]
            case _:
                self._handler(node.name, self._step(node))
                return [f"drawing.task({name}{partial})"]

    def _kept(self, name: str) -> str:
        return ", kept=True" if name in self.views.kept else ""

    def _route(self, node: ir.RouterNode) -> str:
        views = self.views
        function, kind = views.names["functions"][node.name], views.write_type(router_type(node, views.types))
        routes = tuple_literal(node.config.routes)
        return f"steps.Route({literal(node.name)}, functions.{function}, {kind}, {routes}{self._kept(node.name)})"

    def _step(self, node: Node) -> str:
        views, name, kept = self.views, literal(node.name), self._kept(node.name)
        match node:
            case ir.AgentNode():
                return f"steps.Answer(agents.AGENTS[{name}]{kept})"
            case ir.HumanInputNode(config=human):
                kind = taken_type(node.name, human.payload_ref, views.types) if human.payload_ref else UNKNOWN
                shows = views.write_type(kind)
                gives = views.write_type(human.response_schema_ref or "str")
                return f"steps.Ask({name}, {literal(human.message)}, {shows}, {gives}{kept})"
            case ir.FunctionNode() | ir.ToolNode():
                config = node.config
                takes = views.write_type(taken_type(node.name, config.input_type, views.types))
                more = "".join(f", {key}={value}" for key, value in step_extras(node, views).items())
                if isinstance(node, ir.FunctionNode) and node.config.emits == "message":
                    more += ", says=True"
                function, gives = views.names["functions"][node.name], views.write_type(config.output_type)
                return f"steps.Step({name}, functions.{function}, {takes}, {gives}{more}{kept})"
        raise AssertionError(f"no code for {type(node).__name__}")

    def _loop(self, node: ir.LoopNode) -> str:
        config = node.config
        request = self.views.write_type(config.input_type or config.generator.input_schema_ref or "str")
        parts = [literal(node.name), request]
        parts += [f"{role}=agents.AGENTS[{literal(node.member(role))}]" for role, _ in node.members]
        if config.approval_phrase is not None:
            parts.append(f"approval={literal(config.approval_phrase)}")
        if config.on_exhausted == "fail":
            parts.append("must_pass=True")
        if config.timeout_seconds is not None:
            parts.append(f"timeout={float(config.timeout_seconds)!r}")
        return f"loops.Loop({', '.join(parts)}{self._kept(node.name)})"


def _arrow(arrow: Arrow) -> str:
    return f"({', '.join(literal(part) for part in arrow)})"
