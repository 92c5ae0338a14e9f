"""Rules for edges: their ends, reachability, cycles, routes, and which branches may meet where."""

from __future__ import annotations

from collections.abc import Iterator

from adk_probe.graph import ir
from adk_probe.graph.flow import Reachability
from adk_probe.graph.index import GraphIndex, found
from adk_probe.graph.ir import START, Edge, Finding, Graph
from adk_probe.graph.query import topological
from adk_probe.graph.reading.shape import show


def check_flow(index: GraphIndex) -> Iterator[Finding]:
    """Yield all findings about edges."""
    for path, graph in index.graphs:
        view = _GraphView(index, path, graph)
        yield from view.ends()
        yield from view.reach()
        yield from view.cycles()
        yield from view.labels()
        yield from view.arity()


class _GraphView:
    """One graph of the file, with its edges grouped by their ends."""

    def __init__(self, index: GraphIndex, path: str, graph: Graph) -> None:
        self.index = index
        self.path = path
        self.graph = graph
        self.paths = {node.id: here for here, home, node in index.nodes if home is graph}
        self.out: dict[str, list[Edge]] = {}
        self.into: dict[str, list[Edge]] = {}
        for edge in graph.edges:
            self.out.setdefault(edge.from_, []).append(edge)
            self.into.setdefault(edge.to, []).append(edge)

    def ends(self) -> Iterator[Finding]:
        seen: set[tuple[str, str, str | None]] = set()
        for index, edge in enumerate(self.graph.edges):
            where = f"edges[{index}]"
            here = self.paths.get(edge.from_) or self.paths.get(edge.to) or self.path
            if edge.from_ != START and edge.from_ not in self.paths:
                text = f"{where} leaves {show(edge.from_)}, which is not a node of this graph; use a node's id"
                yield found(here, "EDGE_FROM_UNKNOWN", text)
            if edge.to == START:
                yield found(here, "EDGE_TO_START", f"{where} ends in {START}; let it end in a node")
            elif edge.to not in self.paths:
                text = f"{where} ends in {show(edge.to)}, which is not a node of this graph; use a node's id"
                yield found(here, "EDGE_TO_UNKNOWN", text)
            if (edge.from_, edge.to, edge.route) in seen:
                yield found(here, "DUPLICATE_EDGE", f"{where} repeats an earlier edge; remove it")
            seen.add((edge.from_, edge.to, edge.route))

    def reach(self) -> Iterator[Finding]:
        if not self.out.get(START):
            # no node is reachable then, and a finding for each of them would add nothing
            yield found(self.path, "NO_START_EDGE", f"no edge leaves {START}; add one to the first node")
            return
        seen = {START}
        todo = [START]
        while todo:
            for edge in self.out.get(todo.pop(), ()):
                if edge.to not in seen:
                    seen.add(edge.to)
                    todo.append(edge.to)
        for node in self.graph.nodes:
            touched = node.id in self.out or node.id in self.into
            # an agent that could not be read may name any tool
            named = node.name in self.index.used_tools or bool(self.index.faulty)
            spare = isinstance(node, ir.ToolNode) and not touched and named
            if node.id not in seen and not spare:
                text = f"no path leads from {START} to this node; add an edge to it, or remove it"
                yield found(self.paths[node.id], "UNREACHABLE_NODE", text)

    def cycles(self) -> Iterator[Finding]:
        left = {node.id for node in self.graph.nodes} - {node.id for node in topological(self.graph)}
        for node in self.graph.nodes:
            if node.id in left and (cycle := self._cycle(node.id, left)):
                left -= set(cycle)
                text = " -> ".join(show(node_id) for node_id in [*cycle[:20], cycle[0]])
                text = f"the edges form a cycle; use a loop node instead: {text}"
                yield found(self.paths[node.id], "CYCLE_DETECTED", text)

    def _cycle(self, start: str, allowed: set[str]) -> list[str]:
        """Return a shortest path from the node back to itself, or an empty list."""
        came: dict[str, str] = {}
        todo = [start]
        for here in todo:
            for edge in self.out.get(here, ()):
                if edge.to == start:
                    way = [here]
                    while way[-1] != start:
                        way.append(came[way[-1]])
                    return way[::-1]
                if edge.to in allowed and edge.to not in came:
                    came[edge.to] = here
                    todo.append(edge.to)
        return []

    def labels(self) -> Iterator[Finding]:
        for edge in self.out.get(START, ()):
            if edge.route is not None:
                text = f"an edge from {START} has a route; remove it, because only a router's edges have routes"
                yield found(self.path, "NONROUTER_ROUTE_LABEL", text)
        for node in self.graph.nodes:
            path = self.paths[node.id]
            if isinstance(node, ir.RouterNode):
                yield from self._router(node, path)
            elif path not in self.index.faulty:
                for edge in self.out.get(node.id, ()):
                    if edge.route is not None:
                        own = show(edge.route)
                        text = f"the edge to {show(edge.to)} does not leave a router; remove its route {own}"
                        yield found(path, "NONROUTER_ROUTE_LABEL", text)

    def _router(self, node: ir.RouterNode, path: str) -> Iterator[Finding]:
        routes = node.config.routes
        labels = [edge.route for edge in self.out.get(node.id, ())]
        if not routes:
            yield found(path, "ROUTER_NO_ROUTES", "config.routes is empty; add at least one route")
        if "" in routes:
            yield found(path, "ROUTER_BAD_ROUTE", "a route has an empty label; give it a name")
        for index, route in enumerate(routes):
            if route in routes[:index]:
                text = f"the route {show(route)} is declared more than once; declare it once"
                yield found(path, "ROUTER_DUPLICATE_ROUTE", text)
            elif route not in labels:
                text = f"no edge takes the route {show(route)}; add one, or remove the route"
                yield found(path, "ROUTER_ROUTE_NO_TARGET", text)
        for edge in self.out.get(node.id, ()):
            if edge.route is None:
                text = f"the edge to {show(edge.to)} has no route; give it one of the router's"
                yield found(path, "ROUTER_UNLABELED_EDGE", text)
            elif edge.route not in routes:
                text = f"the edge to {show(edge.to)} has the undeclared route {show(edge.route)}; declare it"
                yield found(path, "ROUTER_EDGE_ROUTE_UNDECLARED", text)

    def arity(self) -> Iterator[Finding]:
        reachability = Reachability(self.graph)
        straight = len(topological(self.graph)) == len(self.graph.nodes)
        for node in self.graph.nodes:
            path = self.paths[node.id]
            into, out = self.into.get(node.id, []), self.out.get(node.id, [])
            if path in self.index.faulty:
                continue
            if isinstance(node, ir.LoopNode):
                if len(into) > 1 or len(out) > 1:
                    text = f"a loop must have one edge in and at most one out; this one has {len(into)} and {len(out)}"
                    yield found(path, "LOOP_ARITY", text)
            elif not straight:
                continue  # while the edges form a cycle, it is not defined which branches meet
            elif isinstance(node, ir.JoinNode):
                yield from self._join(path, into, reachability)
            elif clash := reachability.clash(into):
                both = f"{show(clash[0].from_)} and {show(clash[1].from_)}"
                text = f"{both} can both lead here in the same run; put a join before this node"
                yield found(path, "NEEDS_JOIN", text)

    def _join(self, path: str, into: list[Edge], reachability: Reachability) -> Iterator[Finding]:
        if any(edge.from_ == START for edge in into):
            yield found(path, "JOIN_FROM_START", f"an edge leads from {START} to this join; remove the edge")
        router = reachability.starved(tuple(into))
        if router is not None:
            text = f"the router {show(router.name)} can start only some of the branches; let it start all or none"
            yield found(path, "JOIN_NEVER_COMPLETES", text)
