"""Draws the graph that the engine runs."""

from __future__ import annotations

from typing import Any, Optional

from loopgraph.core.graph import Edge, Graph, Node
from loopgraph.core.types import NodeKind


def task(name: str, *, partial: bool = False, visits: Optional[int] = None) -> Node:
    """A step.

    Args:
        name: of the node and of its handler.
        partial: it runs as soon as one of the nodes before it is done: what meets in it excludes each other.
        visits: how often it may run; the engine itself holds it to that.
    """
    return Node(name, NodeKind.TASK, name, allow_partial_upstream=partial, max_visits=visits)


def switch(name: str, *, partial: bool = False) -> Node:
    """A step whose handler names the route to take."""
    return Node(name, NodeKind.SWITCH, name, allow_partial_upstream=partial)


def join(name: str) -> Node:
    """A step that gets the results of all nodes before it, in the order of its edges."""
    return Node(name, NodeKind.AGGREGATE, name)


def end(name: str, *, partial: bool = False) -> Node:
    """The end of a nested graph; what its handler returns is that graph's result."""
    return Node(name, NodeKind.TERMINAL, name, allow_partial_upstream=partial)


def nested(name: str, graph: Graph, *, partial: bool = False) -> Node:
    """A step that runs a graph."""
    config: dict[str, Any] = {"graph": graph.to_dict()}
    return Node(name, NodeKind.SUBGRAPH, "", config=config, allow_partial_upstream=partial)


def draw(nodes: list[Node], edges: list[tuple[str, ...]]) -> Graph:
    """A graph of nodes and edges (from, to) or, out of a switch, (from, to, route).

    Raises:
        ValueError: the engine refuses it; without this it would find out while it runs, or not at all.
    """
    made = {}
    for number, (source, target, *route) in enumerate(edges, 1):
        name = f"e{number}"
        made[name] = Edge(id=name, source=source, target=target, metadata={"route": route[0]} if route else {})
    graph = Graph(nodes={node.id: node for node in nodes}, edges=made)
    graph.validate()
    return graph
