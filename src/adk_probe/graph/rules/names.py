"""Rules for names: they are identifiers, unique in the file, and different from the names that loops generate."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterator

from adk_probe.graph import ir
from adk_probe.graph.index import GraphIndex, found
from adk_probe.graph.ir import SCALARS, START, Finding
from adk_probe.graph.reading.shape import show

STATE_KEYS = ("status", "iterations", "feedback")


def name_fault(name: str) -> str | None:
    """Return why the name cannot be an identifier in generated Python, or None."""
    if not name.isidentifier():
        return f"{show(name)} is not an identifier; use letters, digits and underscores, and no digit first"
    if keyword.iskeyword(name):
        return f"{show(name)} is a keyword of Python; choose another name"
    if (plain := unicodedata.normalize("NFKC", name)) != name:
        # Python normalizes identifiers, so two different names here could be the same identifier there
        return f"{show(name)} is not in Unicode form NFKC; write {show(plain)}"
    return None


def check_names(index: GraphIndex) -> Iterator[Finding]:
    """Yield all findings about names."""
    yield from _graphs(index)
    yield from _nodes(index)
    yield from _schemas(index)
    yield from _tools(index)
    yield from _across(index)
    yield from _reserved(index)


def _graphs(index: GraphIndex) -> Iterator[Finding]:
    for path, graph in index.graphs:
        if fault := name_fault(graph.name):
            yield found(path, "INVALID_GRAPH_NAME", f"the graph's name {fault}")


def _nodes(index: GraphIndex) -> Iterator[Finding]:
    names: dict[str, str] = {}
    ids: set[tuple[int, str]] = set()
    for path, graph, node in index.nodes:
        if START in (node.id, node.name):
            text = f"{START} is where the graph begins; give the node another id or name"
            yield found(path, "START_RESERVED", text)
        elif fault := name_fault(node.name):
            yield found(path, "INVALID_NODE_NAME", f"the node's name {fault}")
        if not node.id:
            yield found(path, "INVALID_NODE_ID", "the node's id is empty; give it one")
        if (id(graph), node.id) in ids:
            text = f"another node of this graph has the id {show(node.id)}; change one of them"
            yield found(path, "DUPLICATE_NODE_ID", text)
        if node.name in names:
            text = f"{show(node.name)} is also the name of {names[node.name]!a}; rename one, so that names are unique"
            yield found(path, "DUPLICATE_NODE_NAME", text)
        ids.add((id(graph), node.id))
        names.setdefault(node.name, path)


def _schemas(index: GraphIndex) -> Iterator[Finding]:
    seen: set[str] = set()
    for path, graph in index.graphs:
        for schema in graph.schemas:
            own = show(schema.name)
            if schema.name in SCALARS:
                text = f"the schema's name {own} is that of a scalar type; rename it"
                yield found(path, "INVALID_SCHEMA_NAME", text)
            elif fault := name_fault(schema.name):
                yield found(path, "INVALID_SCHEMA_NAME", f"the schema's name {fault}")
            if schema.name in seen:
                text = f"the schema {own} is declared more than once; rename or remove one"
                yield found(path, "DUPLICATE_SCHEMA_NAME", text)
            seen.add(schema.name)
            names = [field.name for field in schema.fields]
            yield from _parts(path, f"schema {own}", "FIELD", names)


def _tools(index: GraphIndex) -> Iterator[Finding]:
    seen: set[str] = set()
    for path, graph in index.graphs:
        for tool in graph.tools:
            own = show(tool.name)
            if fault := name_fault(tool.name):
                yield found(path, "INVALID_TOOL_NAME", f"the tool's name {fault}")
            if tool.name in seen:
                text = f"the tool {own} is declared more than once; rename or remove one"
                yield found(path, "DUPLICATE_TOOL_NAME", text)
            seen.add(tool.name)
            names = [parameter.name for parameter in tool.parameters]
            yield from _parts(path, f"tool {own}", "PARAMETER", names)


def _parts(path: str, owner: str, kind: str, names: list[str]) -> Iterator[Finding]:
    """Yield the findings about the fields of a schema or the parameters of a tool."""
    seen: set[str] = set()
    for name in names:
        fault = name_fault(name)
        if fault is None and name.startswith("_"):
            fault = f"{show(name)} begins with an underscore, which makes it private; choose another name"
        if fault:
            yield found(path, f"INVALID_{kind}_NAME", f"{owner}: {fault}")
        if name in seen:
            text = f"{owner} has {show(name)} more than once; rename or remove one"
            yield found(path, f"DUPLICATE_{kind}_NAME", text)
        seen.add(name)


def _across(index: GraphIndex) -> Iterator[Finding]:
    """Yield the findings about the one namespace that nodes, schemas and tools share in generated code."""
    for path, graph in index.graphs:
        for schema in graph.schemas:
            if schema.name in index.by_name:
                text = f"{show(schema.name)} is the name of a schema and of a node; rename one of them"
                yield found(path, "NAME_COLLISION", text)
        for tool in graph.tools:
            if tool.name in index.by_name or tool.name in index.schemas:
                other = "node" if tool.name in index.by_name else "schema"
                text = f"{show(tool.name)} is the name of a tool and of a {other}; rename one of them"
                yield found(path, "NAME_COLLISION", text)


def _reserved(index: GraphIndex) -> Iterator[Finding]:
    taken = {**dict.fromkeys(index.schemas, "a schema"), **dict.fromkeys(index.tools, "a tool")}
    taken.update(dict.fromkeys(index.by_name, "a node"))
    for path, _, node in index.nodes:
        if isinstance(node, ir.LoopNode):
            for name in reserved_names(node):
                if name in taken:
                    text = f"this loop generates {show(name)}, which is also the name of {taken[name]}; rename one"
                    yield found(path, "LOOP_NAME_COLLISION", text)


def reserved_names(loop: ir.LoopNode) -> tuple[str, ...]:
    """Return the names that a loop generates: its agents, its router, its schema and its keys in state."""
    roles: tuple[ir.Role, ...] = ("generator", "critic", "reviser")
    made = [loop.member(role) for role in roles]
    return (*made, loop.router_name, loop.evaluation_name, *(f"{loop.name}_{key}" for key in STATE_KEYS))
