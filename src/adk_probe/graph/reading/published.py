"""The JSON Schema of IR files, made from the structs that read them.

It accepts more than ``loading``, because JSON Schema cannot refuse duplicate keys or ``2.0`` as an integer.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import msgspec

from adk_probe.graph import ir
from adk_probe.graph.reading import wire

_KINDS = (ir.AgentNode, ir.FunctionNode, ir.RouterNode, ir.ToolNode, ir.JoinNode, ir.HumanInputNode)
_PARTS = (*_KINDS, ir.Schema, ir.Edge, ir.ToolDef, wire.LoopConfig01, wire.LoopConfig02)
_TITLE = "Graph IR, versions 0.1 and 0.2"


def json_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of a file of either version."""
    _, parts = msgspec.json.schema_components(_PARTS, ref_template="#/$defs/{name}")
    defs: dict[str, Any] = {name: part for name, part in parts.items() if not name.startswith("_")}
    _refine(defs)
    _loops_and_workflows(defs)
    for minor in (1, 2):
        names = [kind.__name__ for kind in _KINDS] + ["WorkflowNode", f"LoopNode0{minor}"]
        if minor == 1:
            names[names.index("ToolNode")] = "ToolNode01"
            names[names.index("FunctionNode")] = "FunctionNode01"
        tagged = {defs[name]["properties"]["type"]["enum"][0]: f"#/$defs/{name}" for name in names}
        defs[f"Node0{minor}"] = {
            "oneOf": [{"$ref": ref} for ref in tagged.values()],
            "discriminator": {"propertyName": "type", "mapping": tagged},
        }
        defs[f"Graph0{minor}"] = _graph(minor)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLE,
        "type": "object",
        "required": ["irVersion"],
        "if": {"properties": {"irVersion": {"pattern": r"^0\.1(\.|$)"}}},
        "then": {"$ref": "#/$defs/Graph01"},
        "else": {"$ref": "#/$defs/Graph02"},
        "$defs": dict(sorted(defs.items())),
    }


def schema_bytes() -> bytes:
    """Return the exact content of ``docs/schema/graph-ir.schema.json``."""
    return (json.dumps(json_schema(), indent=2, sort_keys=True) + "\n").encode()


def _graph(minor: int) -> dict[str, Any]:
    lists = {"schemas": "Schema", "nodes": f"Node0{minor}", "edges": "Edge"}
    properties: dict[str, Any] = {
        "irVersion": {"type": "string", "pattern": rf"^0\.{minor}(\.[0-9]+)?$"},
        "name": {"type": "string", "minLength": 1},
        "description": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    }
    for key, part in {**lists, **({"tools": "ToolDef"} if minor == 2 else {})}.items():
        properties[key] = {"type": "array", "items": {"$ref": f"#/$defs/{part}"}}
    return {
        "type": "object",
        "properties": properties,
        "required": ["irVersion", "name", *lists],
        "additionalProperties": False,
    }


def _refine(defs: dict[str, Any]) -> None:
    """Add the limits that the annotations do not express."""
    for part in defs.values():
        for key in ("id", "name"):
            if key in part.get("properties", {}):
                part["properties"][key]["minLength"] = 1
    for name in ("LoopConfig01", "LoopConfig02"):
        defs[name]["properties"]["maxIterations"]["minimum"] = 1
    defs["LoopConfig01"]["properties"]["approvalPhrase"]["minLength"] = 1
    defs["LoopConfig02"]["properties"]["timeoutSeconds"]["exclusiveMinimum"] = 0
    defs["RouterConfig"]["properties"]["routes"] |= {
        "minItems": 1,
        "uniqueItems": True,
        "items": {"type": "string", "minLength": 1},
    }


def _loops_and_workflows(defs: dict[str, Any]) -> None:
    """Add the nodes whose form in files differs from that of the structs."""
    for name, tag, config in (
        ("LoopNode01", "loop", {"$ref": "#/$defs/LoopConfig01"}),
        ("LoopNode02", "loop", {"$ref": "#/$defs/LoopConfig02"}),
        ("WorkflowNode", "workflow", _workflow()),
        ("ToolNode01", "tool", {"$ref": "#/$defs/ToolConfig01"}),
        ("FunctionNode01", "function", {"$ref": "#/$defs/FunctionConfig01"}),
    ):
        node = copy.deepcopy(defs["JoinNode"])
        node["title"] = name
        node["description"] = f"A node of type {tag}."
        node["properties"]["type"] = {"enum": [tag]}
        node["properties"]["config"] = config
        defs[name] = node
    for name, key in (("ToolConfig", "guard"), ("FunctionConfig", "seesRun")):
        plain = copy.deepcopy(defs[name])
        del plain["properties"][key]
        defs[f"{name}01"] = {**plain, "title": f"{name}01"}


def _workflow() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "graph": {"$ref": "#"},
            "description": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["graph"],
        "additionalProperties": False,
    }
