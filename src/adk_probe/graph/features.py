"""The features of a graph: what it needs from a mechanism besides loops. Each has claims and scenarios of its own."""

from __future__ import annotations

from collections.abc import Callable

from adk_probe.graph.ir import Graph
from adk_probe.graph.query import has_guards

FEATURES: dict[str, Callable[[Graph], bool]] = {
    "guarded-tools": has_guards,
}


def features_of(graph: Graph) -> tuple[str, ...]:
    """Return the features that a graph has, sorted by name."""
    return tuple(sorted(name for name, has in FEATURES.items() if has(graph)))
