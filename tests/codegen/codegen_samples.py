"""Graphs and generated projects for the tests of the generator."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from adk_probe.codegen import emit
from adk_probe.graph.ir import Graph
from adk_probe.graph.loading import load

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "probes" / "graphs"
FILES = sorted(GRAPHS.glob("*.ir.json"))


def graph_of(value: dict[str, Any]) -> Graph:
    """The graph of a JSON value."""
    graph, findings = load(json.dumps(value).encode(), "test.ir.json")
    assert graph is not None, findings
    return graph


def graph_file(path: Path) -> Graph:
    """The graph of a file."""
    graph, findings = load(path.read_bytes(), path.name)
    assert graph is not None, findings
    return graph


def project(graph: Graph, mechanism: str) -> dict[str, str]:
    """The project of a graph."""
    digest = hashlib.sha256(graph.name.encode()).hexdigest()
    return emit(graph, digest, "test.ir.json", mechanism, ">=2.0,<3", ">=3.10")


def text(value: str) -> dict[str, Any]:
    """A segment of literal text."""
    return {"type": "text", "value": value}


def agent(instruction: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """An agent's config."""
    return {"model": "m", "instruction": {"segments": instruction}, "outputSchemaRef": "str", **more}


def critic_loop(**more: Any) -> dict[str, Any]:
    """START, a loop, a function."""
    config = {"maxIterations": 2, "generator": agent([text("Write.")]), "critic": agent([text("Judge.")]), **more}
    publish = {"inputType": "str", "outputType": "str", "body": "return node_input"}
    return {
        "irVersion": "0.2.0",
        "name": "critic_loop",
        "schemas": [],
        "nodes": [
            {"id": "l", "type": "loop", "name": "draft", "config": config},
            {"id": "p", "type": "function", "name": "publish", "config": publish},
        ],
        "edges": [{"from": "START", "to": "l"}, {"from": "l", "to": "p"}],
    }


def one_node(kind: str, config: dict[str, Any], name: str = "only", **more: Any) -> dict[str, Any]:
    """A graph of one node."""
    return {
        "irVersion": "0.2.0",
        "name": "graph",
        "schemas": [],
        "nodes": [{"id": "n", "type": kind, "name": name, "config": config}],
        "edges": [{"from": "START", "to": "n"}],
        **more,
    }
