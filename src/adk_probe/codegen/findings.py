"""What mechanisms cannot express, as findings: the reasons that engines share."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from adk_probe.graph import ir
from adk_probe.graph.flow import Reachability
from adk_probe.graph.index import GraphIndex
from adk_probe.graph.ir import Finding, Graph
from adk_probe.graph.query import agents_of, confirmed_tools, in_flow, schemas_of

CANNOT_EXPRESS = "MECHANISM_CANNOT_EXPRESS"

ConfirmationSupport = Literal["always", "resumable", "never"]
"""When a run can pause inside of a tool's call, for a person to confirm it, and go on from there.

``resumable``: only where the host lets a run go on later.
"""


def finding(mechanism: str, path: str, reason: str) -> Finding:
    """A finding that the mechanism cannot express the node at ``path``."""
    name = path.rpartition("/")[2] or "the graph"
    return Finding(path=path, code=CANNOT_EXPRESS, message=f"{mechanism} cannot express {name}: {reason}")


def wrong_release(mechanism: str, release: str | None, wanted: str, engine: str) -> list[Finding]:
    """A finding if the release is outside of the range in which the mechanism exists at all."""
    if release is None:
        return []
    try:
        inside = SpecifierSet(wanted).contains(Version(release), prereleases=True)
    except InvalidVersion:
        return [finding(mechanism, "", f"{release!r} is no version")]
    return [] if inside else [finding(mechanism, "", f"it needs {engine} {wanted}, this is {release}")]


_PYDANTIC = frozenset(
    {
        "model_computed_fields",
        "model_config",
        "model_construct",
        "model_copy",
        "model_dump",
        "model_dump_json",
        "model_extra",
        "model_fields",
        "model_fields_set",
        "model_json_schema",
        "model_parametrized_name",
        "model_post_init",
        "model_rebuild",
        "model_validate",
        "model_validate_json",
        "model_validate_strings",
    }
)


def pydantic_names(mechanism: str, graph: Graph) -> list[Finding]:
    """Findings about names of fields that a pydantic model cannot have."""
    return [
        finding(mechanism, "", f"pydantic keeps the field name {part.name!r} for itself, in the schema {schema.name}")
        for schema in schemas_of(graph)
        for part in schema.fields
        if part.name in _PYDANTIC
    ]


def confirmations(mechanism: str, graph: Graph, asks: ConfirmationSupport) -> list[Finding]:
    """Findings about tools that must be confirmed where no release can ask, or none gets it right.

    A step of the graph has no model's call to hold back. Of two answers in one message a workflow takes the first, and
    a parallel agent goes on with the other's place empty, so agents must not wait for a person at the same time.
    """
    index, confirmed = GraphIndex(graph), confirmed_tools(graph)
    found = [
        finding(mechanism, path, "a step cannot ask for its own confirmation")
        for path, home, node in index.nodes
        if isinstance(node, ir.ToolNode) and node.name in confirmed and in_flow(home, node)
    ]
    if asks == "never":
        return found
    waits = [entry for entry in index.nodes if any(confirmed & set(agent.tools) for _, agent in agents_of(entry[2]))]
    for (_, home, node), (path, other_home, other) in combinations(waits, 2):
        ordered = index.is_ancestor(node, other_home, other) or index.is_ancestor(other, home, node)
        shut = home is other_home and Reachability(home).exclusive(node.id, other.id)
        if not ordered and not shut:
            found.append(finding(mechanism, path, f"it and {node.name} may wait for a person at the same time"))
    return found
