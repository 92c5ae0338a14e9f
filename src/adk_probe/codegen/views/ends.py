"""How the last steps of a graph become its one output."""

from __future__ import annotations

from adk_probe.graph.flow import Reachability
from adk_probe.graph.ir import Graph
from adk_probe.graph.query import terminals


def mixed_ends(graph: Graph) -> bool:
    """Whether of a graph's ends some exclude each other and some do not."""
    ends = terminals(graph)
    reachability = Reachability(graph)
    pairs = [(a, b) for index, a in enumerate(ends) for b in ends[index + 1 :]]
    shut = {reachability.exclusive(first.id, second.id) for first, second in pairs}
    return len(shut) > 1


def joined_ends(graph: Graph) -> bool:
    """Whether a graph has several ends that all run, so that its output is a dict of theirs."""
    ends = terminals(graph)
    reachability = Reachability(graph)
    return len(ends) > 1 and not reachability.exclusive(ends[0].id, ends[1].id)
