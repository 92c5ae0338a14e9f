"""Reads a graph as steps in sequence and in parallel, which is all that the classic agents can say."""

from __future__ import annotations

from dataclasses import dataclass, field

from adk_probe.graph import ir
from adk_probe.graph.ir import START, Edge, Graph, Node
from adk_probe.graph.query import edges_from, edges_into


class NotSequential(Exception):
    """The graph cannot be read so; ``node`` is where it fails, None for the complete graph."""

    def __init__(self, node: Node | None, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


@dataclass(frozen=True)
class One:
    """A node, and the name of the step whose output it takes."""

    node: Node
    source: str


@dataclass(frozen=True)
class Parallel:
    """Branches that run side by side; ``sources`` are the names of their last steps; ``join`` None ends the graph."""

    branches: tuple[Sequence, ...]
    sources: tuple[str, ...]
    join: ir.JoinNode | None


@dataclass(frozen=True)
class Sequence:
    """Parts, one after the other."""

    parts: tuple[One | Parallel, ...] = field(default=())


def sequence_of(graph: Graph) -> Sequence:
    """The graph as a sequence.

    Raises:
        NotSequential: it is no nest of sequences and parallels.
    """
    parts, exit_ = _chain(graph, edges_from(graph, START), START)
    if exit_ is not None:
        raise NotSequential(exit_[0], "its branches do not begin together")
    return Sequence(tuple(parts))


_Exit = tuple[ir.JoinNode, str]
"""The join that a branch runs into, and the branch's last step."""


def _chain(graph: Graph, out: tuple[Edge, ...], source: str) -> tuple[list[One | Parallel], _Exit | None]:
    """The parts that follow from some edges, up to the end or to a join whose other branches are elsewhere."""
    parts: list[One | Parallel] = []
    while out:
        if len(out) == 1:
            node = graph.node(out[0].to)
            assert node is not None
            if isinstance(node, ir.JoinNode) and len(edges_into(graph, node.id)) > 1:
                return parts, (node, source)
            parts.append(One(node, source))
        else:
            parallel = _parallel(graph, out, source)
            parts.append(parallel)
            if parallel.join is None:
                return parts, None
            node = parallel.join
        source, out = node.name, edges_from(graph, node.id)
    return parts, None


def _parallel(graph: Graph, out: tuple[Edge, ...], source: str) -> Parallel:
    branches: list[Sequence] = []
    sources: list[str] = []
    joins: list[ir.JoinNode | None] = []
    for edge in out:
        parts, exit_ = _chain(graph, (edge,), source)
        branches.append(Sequence(tuple(parts)))
        joins.append(exit_[0] if exit_ else None)
        sources.append(exit_[1] if exit_ else _last(parts))
    join = joins[0]
    if any(other is not join for other in joins):
        node = next(item for item in joins if item is not None)
        raise NotSequential(node, "not all branches that begin together end in it")
    if join is not None and len(edges_into(graph, join.id)) != len(out):
        raise NotSequential(join, "branches end in it that begin elsewhere")
    if join is not None:
        order = [edge.from_ for edge in edges_into(graph, join.id)]
        ids = {node.name: node.id for node in graph.nodes}
        sources.sort(key=lambda name: order.index(ids[name]))
    return Parallel(tuple(branches), tuple(sources), join)


def _last(parts: list[One | Parallel]) -> str:
    last = parts[-1]
    if isinstance(last, Parallel):
        raise NotSequential(None, "a branch ends in several ends of its own")
    return last.node.name
