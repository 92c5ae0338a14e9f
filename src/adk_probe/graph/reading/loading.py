"""Reads an IR file: takes bytes, and returns a graph or all faults of its shape."""

from __future__ import annotations

import re
from typing import Any, get_args

from msgspec import Struct, inspect

from adk_probe.graph import ir
from adk_probe.graph.ir import Finding, Graph, Node
from adk_probe.graph.query import label
from adk_probe.graph.reading import wire
from adk_probe.graph.reading.jsontext import parse
from adk_probe.graph.reading.shape import BROKEN, JsonObject, Reader, show

_VERSION = re.compile(r"0\.([12])(\.[0-9]{1,9})?")
_TYPES: dict[str, type[Struct]] = {
    str(inspect.type_info(kind).tag): kind  # type: ignore[attr-defined]
    for kind in get_args(ir.Node)
    if kind not in (ir.WorkflowNode, ir.LoopNode)
}
NODE_TYPES = (*_TYPES, "workflow", "loop")


class Parsed(Struct, frozen=True):
    """What could be read of a file.

    Attributes:
        graph: the graph; None if too little of it could be read for further checks. If there are ``faulty``
            nodes, the graph is partial: good for further checks, but not for use.
        faulty: paths of the nodes whose content could not be read; in ``graph`` a human input replaces each.
        findings: every fault of shape, in file order.
    """

    graph: Graph | None
    faulty: frozenset[str]
    findings: tuple[Finding, ...]


def load(data: bytes, name: str) -> tuple[Graph | None, list[Finding]]:
    """Read an IR file, without checking whether the graph follows the rules (``validate.check`` does both).

    Args:
        data: the file's bytes.
        name: the file's name in messages.

    Returns:
        The graph and no finding, or None and every fault of shape. This function does not raise.
    """
    parsed = read(data, name)
    return (None if parsed.findings else parsed.graph), list(parsed.findings)


def read(data: bytes, name: str) -> Parsed:
    """Read as much of an IR file as possible."""
    value, findings = parse(data, name)
    if value is BROKEN:
        return Parsed(graph=None, faulty=frozenset(), findings=tuple(findings))
    faulty: set[str] = set()
    graph = _GraphReader(findings, faulty, "").graph(value)
    return Parsed(graph=graph, faulty=frozenset(faulty), findings=tuple(findings))


class _GraphReader:
    """Reads one graph. A nested graph has a version, and therefore a reader, of its own."""

    def __init__(self, findings: list[Finding], faulty: set[str], path: str) -> None:
        self.reader = Reader(findings, 2)
        self.faulty = faulty
        self.path = path

    def graph(self, value: Any) -> Graph | None:
        """Return the graph, or None if anything outside its nodes cannot be read."""
        if not isinstance(value, JsonObject):
            self.reader.wrong(value, "an object", self.path, "")
            return None
        version = self._version(value.get("irVersion", BROKEN))
        known = ["irVersion", "name", "description", "schemas", "nodes", "edges"]
        self.reader.keys(value, known + ["tools"] * (self.reader.minor == 2), self.path, "")
        parts = {
            "ir_version": version,
            "name": self._part(value, "name", str, BROKEN),
            "description": self._part(value, "description", str | None, None),
            "schemas": self._part(value, "schemas", tuple[ir.Schema, ...], BROKEN),
            "nodes": self._nodes(value.get("nodes", BROKEN)),
            "edges": self._part(value, "edges", tuple[ir.Edge, ...], BROKEN),
        }
        if self.reader.minor == 2:
            parts["tools"] = self._part(value, "tools", tuple[ir.ToolDef, ...], ())
        return None if any(part is BROKEN for part in parts.values()) else Graph(**parts)

    def _version(self, value: Any) -> Any:
        if value is BROKEN:
            return self._missing("irVersion")
        match = _VERSION.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            text = f"irVersion must be 0.1, 0.1.x, 0.2 or 0.2.x, not {show(value)}"
            self.reader.fault(self.path, "UNSUPPORTED_VERSION", text)
            return BROKEN
        self.reader.minor = int(match.group(1))
        return value

    def _missing(self, key: str) -> Any:
        self.reader.fault(self.path, "MISSING_KEY", f"{key} is missing; add it")
        return BROKEN

    def _part(self, value: JsonObject, key: str, kind: Any, default: Any) -> Any:
        if key in value:
            return self.reader.read(value[key], inspect.type_info(kind), self.path, key)
        return self._missing(key) if default is BROKEN else default

    def _nodes(self, value: Any) -> Any:
        if value is BROKEN:
            return self._missing("nodes")
        if not isinstance(value, list):
            return self.reader.wrong(value, "a list", self.path, "nodes")
        nodes = [self._node(part, index) for index, part in enumerate(value)]
        return BROKEN if any(node is None for node in nodes) else tuple(nodes)

    def _node(self, value: Any, index: int) -> Node | None:
        """Return the node; a stand-in if its content cannot be read; None if not even its name can be read."""
        where = f"nodes[{index}]"
        if not isinstance(value, JsonObject):
            self.reader.wrong(value, "an object", self.path, where)
            return None
        name, node_id = value.get("name"), value.get("id")
        own = label(name, index) if isinstance(name, str) else where
        path = f"{self.path}/{own}" if self.path else own
        node = self._typed(value, path)
        if node is not BROKEN:
            return node  # type: ignore[no-any-return]
        self.faulty.add(path)
        if not isinstance(name, str) or not isinstance(node_id, str):
            return None
        return ir.HumanInputNode(id=node_id, name=name, config=ir.HumanInputConfig(message=""))

    def _typed(self, value: JsonObject, path: str) -> Any:
        tag = value.get("type", BROKEN)
        if tag is BROKEN:
            self.reader.fault(path, "MISSING_KEY", "type is missing; add it")
            return BROKEN
        if not isinstance(tag, str) or tag not in NODE_TYPES:
            text = f"type must be one of {', '.join(NODE_TYPES)}, not {show(tag)}"
            self.reader.fault(path, "UNKNOWN_NODE_TYPE", text)
            return BROKEN
        if tag in _TYPES:
            return self.reader.read(value, inspect.type_info(_TYPES[tag]), path, "")
        config = value.get("config", BROKEN)
        if config is not BROKEN:
            config = self._workflow(config, path) if tag == "workflow" else self._loop(config, path)
        # the rest of the node has the same keys as any other node, so read it as a join
        rest = JsonObject({**value, "type": "join", "config": JsonObject()})
        rest.duplicates = value.duplicates
        if config is BROKEN and "config" not in value:
            del rest["config"]
        shell = self.reader.read(rest, inspect.type_info(ir.JoinNode), path, "")
        if shell is BROKEN or config is BROKEN:
            return BROKEN
        kind = ir.WorkflowNode if tag == "workflow" else ir.LoopNode
        return kind(id=shell.id, name=shell.name, ui=shell.ui, config=config)

    def _workflow(self, value: Any, path: str) -> Any:
        if not isinstance(value, JsonObject):
            return self.reader.wrong(value, "an object", path, "config")
        self.reader.keys(value, ["description", "graph"], path, "config")
        text = inspect.type_info(str | None)
        description = self.reader.read(value.get("description"), text, path, "config.description")
        if "graph" not in value:
            self.reader.fault(path, "MISSING_KEY", "config.graph is missing; add it")
            return BROKEN
        graph = _GraphReader(self.reader.findings, self.faulty, path).graph(value["graph"])
        if graph is None or description is BROKEN:
            return BROKEN
        return ir.WorkflowConfig(graph=graph, description=description)

    def _loop(self, value: Any, path: str) -> Any:
        kind = wire.LoopConfig01 if self.reader.minor == 1 else wire.LoopConfig02
        written = self.reader.read(value, inspect.type_info(kind), path, "config")
        return BROKEN if written is BROKEN else wire.loop_config(written)
