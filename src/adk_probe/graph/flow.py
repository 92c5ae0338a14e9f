"""What flows along the edges: which steps exclude each other, and the type of each step's input and output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from adk_probe.graph import ir
from adk_probe.graph.ir import START, Edge, Graph, Node
from adk_probe.graph.query import ancestors, terminals, topological

DICT = "dict"
"""The type of a join's output: an open dict, not a declared type."""

UNKNOWN = "?"
"""The type of a value whose type depends on the route."""

MAX_CHOICES = 100
"""How many combinations of routes are tried for one join. With more, an incomplete join may show only in a run."""


class NodeTypes(Struct, frozen=True):
    """The types of a node's input and output: a scalar, a schema's name, ``DICT`` or ``UNKNOWN``."""

    arrives: str
    leaves: str


def types_of(graph: Graph, start: str = "str") -> dict[str, NodeTypes]:
    """Return the types of every node by name, nested graphs included, without nodes on or behind a cycle.

    Args:
        graph: the graph.
        start: the type of the value that enters it; a user's message is text.
    """
    found: dict[str, NodeTypes] = {}
    ids = {node.id: node for node in graph.nodes}
    into: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        into.setdefault(edge.to, []).append(edge)
    for node in topological(graph):
        sources = (edge.from_ for edge in into.get(node.id, []))
        arrives = _common(_source_type(source, ids, found, start) for source in sources)
        if isinstance(node, ir.WorkflowNode):
            inner = types_of(node.config.graph, arrives)
            found.update(inner)
            leaves = _ending(node.config.graph, inner)
        else:
            leaves = arrives if isinstance(node, ir.RouterNode) else _own_type(node)
        found[node.name] = NodeTypes(arrives, leaves)
    return found


def _source_type(source: str, ids: dict[str, Node], found: dict[str, NodeTypes], start: str) -> str:
    if source == START:
        return start
    known = found.get(ids[source].name) if source in ids else None
    return known.leaves if known else UNKNOWN


def _own_type(node: Node) -> str:
    match node:
        case ir.AgentNode(config=agent):
            return agent.output_schema_ref
        case ir.FunctionNode() | ir.ToolNode():
            return node.config.output_type
        case ir.HumanInputNode(config=human):
            return human.response_schema_ref or "str"
        case ir.LoopNode(config=loop):
            return loop.payload_type
        case _:
            return DICT


def _ending(graph: Graph, types: dict[str, NodeTypes]) -> str:
    """Return the type of a graph's output: that of its terminal, or the common type if only one of several can run."""
    ends = terminals(graph)
    leaves = [types[end.name].leaves if end.name in types else UNKNOWN for end in ends]
    if len(ends) <= 1:
        return leaves[0] if leaves else UNKNOWN
    reachability = Reachability(graph)
    shut = [reachability.exclusive(first.id, second.id) for first, second in _pairs(ends)]
    if all(shut):
        return _common(leaves)
    return UNKNOWN if any(shut) else DICT


def _common(types: Iterable[str]) -> str:
    found = set(types)
    return found.pop() if len(found) == 1 else UNKNOWN


def _pairs(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, Node]]:
    return ((first, second) for index, first in enumerate(nodes) for second in nodes[index + 1 :])


class Reachability:
    """Which nodes and edges of one graph can be active in the same run, given that a router takes one route."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.out: dict[str, list[Edge]] = {}
        self.into: dict[str, list[Edge]] = {}
        for edge in graph.edges:
            self.out.setdefault(edge.from_, []).append(edge)
            self.into.setdefault(edge.to, []).append(edge)
        self.order = topological(graph)
        self.routers = [node for node in graph.nodes if isinstance(node, ir.RouterNode)]
        self._reached: dict[tuple[str, str], frozenset[str]] = {}
        self._opened: dict[tuple[str, str], frozenset[str]] = {}
        self._before: dict[str, frozenset[str]] = {}

    def reached(self, router: str, route: str) -> frozenset[str]:
        """Return the ids of the nodes that can run if this router takes the route and the others take any route."""
        if (router, route) not in self._reached:
            seen = {START}
            todo = [START]
            while todo:
                here = todo.pop()
                for edge in self.out.get(here, ()):
                    if (here != router or edge.route == route) and edge.to not in seen:
                        seen.add(edge.to)
                        todo.append(edge.to)
            self._reached[router, route] = frozenset(seen)
        return self._reached[router, route]

    def live(self, edge: Edge, router: str, route: str) -> bool:
        """Whether a value can come along the edge if the router takes the route."""
        own = edge.from_ != router or edge.route == route
        return own and edge.from_ in self.reached(router, route)

    def exclusive(self, first: str, second: str) -> bool:
        """Whether no run can have both nodes, because one router decides between them."""
        return any(
            self._opens(router, first).isdisjoint(self._opens(router, second))
            for router in self._deciding(first, second)
        )

    def clash(self, into: list[Edge]) -> tuple[Edge, Edge] | None:
        """Return two edges from different nodes that can both carry a value in one run, or None.

        Nodes are compared before edges, because a router may have many edges to the same node.
        """
        groups: dict[str, list[Edge]] = {}
        for edge in into:
            groups.setdefault(edge.from_, []).append(edge)
        sources = list(groups)
        for index, first in enumerate(sources):
            for second in sources[index + 1 :]:
                if found := self._meeting(groups[first], groups[second]):
                    return found
        return None

    def _meeting(self, firsts: list[Edge], seconds: list[Edge]) -> tuple[Edge, Edge] | None:
        open_firsts = [edge for edge in firsts if self._beside(edge, seconds[0].from_)]
        open_seconds = [edge for edge in seconds if self._beside(edge, firsts[0].from_)]
        if not open_firsts or not open_seconds or self.exclusive(firsts[0].from_, seconds[0].from_):
            return None
        return open_firsts[0], open_seconds[0]

    def _beside(self, edge: Edge, other: str) -> bool:
        """Whether the other node can run if a value comes along the edge."""
        return edge.route is None or other in self.reached(edge.from_, edge.route)

    def _opens(self, router: ir.RouterNode, node: str) -> frozenset[str]:
        """Return the routes of the router with which the node can run."""
        key = (router.id, node)
        if key not in self._opened:
            routes = (route for route in router.config.routes if node in self.reached(router.id, route))
            self._opened[key] = frozenset(routes)
        return self._opened[key]

    def starved(self, edges: tuple[Edge, ...]) -> ir.RouterNode | None:
        """Return a router that can keep values from some, but not all, of the edges into one join; or None."""
        routers = self._deciding(*(edge.to for edge in edges))
        for router in routers:
            for route in router.config.routes:
                if len({self.live(edge, router.id, route) for edge in edges}) == 2:
                    return router
        return self._starved_by_several(edges, {router.id: router for router in routers})

    def _starved_by_several(self, edges: tuple[Edge, ...], routers: dict[str, ir.RouterNode]) -> ir.RouterNode | None:
        """As ``starved``, but try combinations of the routers' choices, up to ``MAX_CHOICES``."""
        todo: list[dict[str, str]] = [{}]
        for _ in range(MAX_CHOICES):
            if not todo or len(routers) < 2:
                break
            choices = todo.pop()
            running, undecided = self._running(choices, routers)
            if undecided is not None:
                todo.extend({**choices, undecided.id: route} for route in undecided.config.routes)
                continue
            lives = {edge.from_ in running and choices.get(edge.from_, edge.route) == edge.route for edge in edges}
            if len(lives) == 2:
                return routers[list(choices)[-1]]
        return None

    def _running(
        self, choices: dict[str, str], routers: dict[str, ir.RouterNode]
    ) -> tuple[set[str], ir.RouterNode | None]:
        """Return the ids of the nodes that run with these choices, up to the first router without a choice."""
        running = {START}
        for node in self.order:
            for edge in self.into.get(node.id, ()):
                if edge.from_ in running and choices.get(edge.from_, edge.route) == edge.route:
                    running.add(node.id)
                    if node.id in routers and node.id not in choices:
                        return running, routers[node.id]
                    break
        return running, None

    def _deciding(self, *nodes: str) -> list[ir.RouterNode]:
        before: set[str] = set()
        for node in set(nodes):
            if node not in self._before:
                self._before[node] = ancestors(self.graph, node)
            before |= self._before[node]
        return [router for router in self.routers if router.id in before]
