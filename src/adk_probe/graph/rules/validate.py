"""Checks whether a graph follows every rule of the contract, and returns all findings at once, in a fixed order.

Each module beside this one holds the rules about one subject. ``docs/ir.md`` lists their codes.
"""

from __future__ import annotations

from adk_probe.graph.index import GraphIndex
from adk_probe.graph.ir import Finding, Graph
from adk_probe.graph.reading.loading import read
from adk_probe.graph.rules.config import check_config
from adk_probe.graph.rules.flow import check_flow
from adk_probe.graph.rules.names import check_names
from adk_probe.graph.rules.types import check_types
from adk_probe.graph.rules.vars import check_vars

MAX_NODES = 500
MAX_EDGES = 2_000
"""Limits of a file, nested graphs included, because some rules look at pairs of edges."""

RULES = (check_names, check_flow, check_types, check_config, check_vars)


def validate(graph: Graph, faulty: frozenset[str] = frozenset()) -> list[Finding]:
    """Check a graph against every rule.

    Args:
        graph: a graph as ``loading`` returns it.
        faulty: paths of nodes whose content could not be read and must not be checked.

    Returns:
        Findings in file order of their nodes, those of graphs first, then by code and message; empty if the graph
        follows every rule.
    """
    index = GraphIndex(graph, faulty)
    edges = sum(len(inner.edges) for _, inner in index.graphs)
    if len(index.nodes) > MAX_NODES or edges > MAX_EDGES:
        have = f"the file has {len(index.nodes)} nodes and {edges} edges"
        text = f"{have}; use at most {MAX_NODES} nodes and {MAX_EDGES} edges"
        return [Finding(path="", code="TOO_LARGE", message=text)]
    return _sorted(index, [finding for rule in RULES for finding in rule(index)])


def check(data: bytes, name: str) -> tuple[Graph | None, list[Finding]]:
    """Read and validate an IR file.

    Args:
        data: the file's bytes.
        name: the file's name in messages.

    Returns:
        The graph and no finding, or None and every finding. If a node cannot be read, the rest is still checked. This
        function does not raise.
    """
    parsed = read(data, name)
    findings = list(parsed.findings)
    if parsed.graph is not None:
        index = GraphIndex(parsed.graph, parsed.faulty)
        findings = _sorted(index, [*findings, *validate(parsed.graph, parsed.faulty)])
    return (None if findings else parsed.graph), findings


def _sorted(whole: GraphIndex, findings: list[Finding]) -> list[Finding]:
    place = {path: index for index, (path, _, _) in enumerate(whole.nodes)}
    unique = set(findings)
    return sorted(unique, key=lambda each: (place.get(each.path, -1), each.path, each.code, each.message))
