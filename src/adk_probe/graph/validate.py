"""Whether a graph makes sense: every rule of the contract, all findings at once, in one fixed order.

The rules stand in the ``rules_*`` modules, one idea each; ``docs/ir.md`` lists their codes.
"""

from __future__ import annotations

from adk_probe.graph.ir import Finding, Graph
from adk_probe.graph.loading import read
from adk_probe.graph.rules_config import check_config
from adk_probe.graph.rules_flow import check_flow
from adk_probe.graph.rules_names import check_names
from adk_probe.graph.rules_types import check_types
from adk_probe.graph.rules_vars import check_vars
from adk_probe.graph.whole import Whole

MAX_NODES = 500
MAX_EDGES = 2_000
"""Of a file, nested graphs included: some rules look at pairs of edges."""

RULES = (check_names, check_flow, check_types, check_config, check_vars)


def validate(graph: Graph, faulty: frozenset[str] = frozenset()) -> list[Finding]:
    """Every rule that the graph breaks.

    Args:
        graph: a graph as ``loading`` gives it.
        faulty: paths of nodes whose insides could not be read and are not to be judged.

    Returns:
        Findings in file order of their nodes, those of graphs first, then by code and message; empty if all
        holds.
    """
    whole = Whole(graph, faulty)
    edges = sum(len(inner.edges) for _, inner in whole.graphs)
    if len(whole.nodes) > MAX_NODES or edges > MAX_EDGES:
        text = f"{len(whole.nodes)} nodes and {edges} edges; the most are {MAX_NODES} and {MAX_EDGES}"
        return [Finding(path="", code="TOO_LARGE", message=text)]
    return _sorted(whole, [finding for rule in RULES for finding in rule(whole)])


def check(data: bytes, name: str) -> tuple[Graph | None, list[Finding]]:
    """Read and validate an IR file.

    Args:
        data: the file's bytes.
        name: what messages call the file.

    Returns:
        The graph and no finding, or None and every fault of shape and sense. Where a node cannot be read the
        rest is still checked. Nothing is raised.
    """
    parsed = read(data, name)
    findings = list(parsed.findings)
    if parsed.graph is not None:
        whole = Whole(parsed.graph, parsed.faulty)
        findings = _sorted(whole, [*findings, *validate(parsed.graph, parsed.faulty)])
    return (None if findings else parsed.graph), findings


def _sorted(whole: Whole, findings: list[Finding]) -> list[Finding]:
    place = {path: index for index, (path, _, _) in enumerate(whole.nodes)}
    unique = set(findings)
    return sorted(unique, key=lambda each: (place.get(each.path, -1), each.path, each.code, each.message))
