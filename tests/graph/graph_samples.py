"""Small graphs to start tests from, as JSON values."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "probes" / "graphs"
FILES = sorted(GRAPHS.glob("*.ir.json"))

Json = dict[str, Any]


def agent(name: str, *segments: Any, **more: Any) -> Json:
    return {"id": name, "name": name, "type": "agent", "config": config(*segments, **more)}


def config(*segments: Any, **more: Any) -> Json:
    parts = [{"type": "text", "value": part} if isinstance(part, str) else part for part in segments]
    return {"model": "m", "instruction": {"segments": parts}, "outputSchemaRef": "str", **more}


def var(schema: str, field: str, source: str, via: str = "input") -> Json:
    return {"type": "var", "schema": schema, "field": field, "source": source, "via": via}


def function(name: str, body: str | None = None, takes: str = "str", gives: str = "str") -> Json:
    settings = {"inputType": takes, "outputType": gives, "body": body}
    return {"id": name, "name": name, "type": "function", "config": settings}


def loop(name: str, passes: Any = 3, **more: Any) -> Json:
    both = {"generator": config("Write."), "critic": config("Judge.")}
    return {"id": name, "name": name, "type": "loop", "config": {"maxIterations": passes, **both, **more}}


def node(kind: str, name: str, **settings: Any) -> Json:
    return {"id": name, "name": name, "type": kind, "config": settings}


def edge(way: str) -> Json:
    """``a>b``, or ``a:route>b`` out of a router."""
    source, _, target = way.partition(">")
    source, colon, route = source.partition(":")
    return {"from": source, "to": target, **({"route": route} if colon else {})}


def graph(nodes: list[Json], ways: str, **more: Any) -> Json:
    return {
        "irVersion": "0.2.0",
        "name": "g",
        "schemas": [],
        "nodes": nodes,
        "edges": [edge(way) for way in ways.split()],
        **more,
    }


def schema(name: str, **fields: Any) -> Json:
    rows = [{"name": key, **(kind if isinstance(kind, dict) else {"type": kind})} for key, kind in fields.items()]
    return {"name": name, "fields": rows}


def rich() -> Json:
    """A valid graph with something of everything, which tests of findings spoil in one place."""
    inner = graph(
        [function("inner_step", "return node_input"), loop("inner_loop")],
        "START>inner_step inner_step>inner_loop",
        name="inner",
    )
    nodes = [
        agent("ask", "Ask.", outputSchemaRef="Topic", tools=["add", "spare"]),
        agent("tell", "Of ", var("Topic", "title", "ask"), inputSchemaRef="Topic", outputSchemaRef="Topic"),
        node("router", "choose", routes=["a", "b"], inputType="Topic", body="return 'a'"),
        agent("left", "On ", var("Topic", "title", "ask", "state")),
        function("right", "return node_input.title", takes="Topic"),
        node("workflow", "sub", graph=inner),
        loop("polish", timeoutSeconds=5, inputType="str"),
        node("tool", "spare", inputType="str", outputType="str", body="return node_input"),
        node("humanInput", "confirm", message="Well?", payloadRef="str", responseSchemaRef="Topic"),
        function("one", None, takes="Topic"),
        function("two", None, takes="Topic"),
        node("join", "gather"),
    ]
    ways = (
        "START>ask ask>tell tell>choose choose:a>left choose:b>right left>sub right>sub sub>polish polish>confirm "
        "confirm>one confirm>two one>gather two>gather"
    )
    tool = {
        "name": "add",
        "description": "Adds.",
        "parameters": [{"name": "x", "type": "int"}, {"name": "y", "type": "int", "default": 1}],
        "returns": "int",
        "body": "return x + y",
    }
    schemas = [schema("Topic", title="str", place={"type": "Place", "optional": True}), schema("Place", city="str")]
    return copy.deepcopy(graph(nodes, ways, schemas=schemas, tools=[tool]))


def old() -> Json:
    """A valid 0.1 graph."""
    plain = {"model": "m", "instruction": "Do."}
    settings = {
        "maxIterations": 2,
        "approvalPhrase": "OK",
        "inputType": "str",
        "payloadType": "str",
        "generator": plain,
        "critic": plain,
        "reviser": plain,
    }
    nodes = [node("loop", "write", **settings), function("end", "return node_input")]
    return copy.deepcopy(graph(nodes, "START>write write>end", irVersion="0.1.0"))


def dump(value: Any) -> bytes:
    return json.dumps(value).encode()


def named(value: Json, name: str) -> Json:
    """The node of that name, nested graphs included."""
    for each in value["nodes"]:
        if each["name"] == name:
            return each  # type: ignore[no-any-return]
        if each["type"] == "workflow":
            try:
                return named(each["config"]["graph"], name)
            except KeyError:
                continue
    raise KeyError(name)
