"""Graphs and generated projects for the tests of the generator."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from adk_probe.codegen import Mechanism, Spec, emit, emit_all, mechanism, mechanisms
from adk_probe.codegen.google_adk.project import AdkMechanism
from adk_probe.graph.ir import Graph
from adk_probe.graph.reading.loading import load
from adk_probe.project import config

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "probes" / "graphs"
FILES = sorted(GRAPHS.glob("*.ir.json"))
STEMS = [path.name.removesuffix(".ir.json") for path in FILES]
MATRIX = config.load(ROOT / "matrix.toml")


def on_adk(name: str) -> AdkMechanism:
    """A mechanism on google-adk, with what it says of its projects."""
    return cast("AdkMechanism", mechanism(name))


def can(way: Mechanism, graph: Graph) -> bool:
    """Whether a mechanism can express a graph on some release."""
    return not way.cannot_express(graph, None)


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


@lru_cache(maxsize=1)
def graphs() -> dict[str, Graph]:
    """The graphs of all graph files, by the file's stem."""
    return {stem: graph_file(path) for stem, path in zip(STEMS, FILES, strict=True)}


MECHANISMS = tuple(name for name, way in mechanisms().items() if any(can(way, graph) for graph in graphs().values()))
"""Every mechanism that can express anything, so that a new one is tested as soon as it does."""

ON_ADK = tuple(name for name in MECHANISMS if mechanism(name).engine == "google-adk")
"""Those whose projects have the layout of google-adk."""


def able(value: dict[str, Any]) -> list[str]:
    """Those of ``ON_ADK`` that can express the graph of a JSON value."""
    return [name for name in ON_ADK if can(mechanism(name), graph_of(value))]


def _spec(graph: Graph, name: str) -> Spec:
    digest = hashlib.sha256(graph.name.encode()).hexdigest()
    return Spec(graph, digest, "test.ir.json", name, ">=2.0,<3", ">=3.10")


def project(graph: Graph, name: str) -> dict[str, str]:
    """The project of a graph."""
    spec = _spec(graph, name)
    return emit(spec.graph, spec.ir_digest, spec.ir_name, spec.mechanism, spec.releases, spec.pythons)


@lru_cache(maxsize=1)
def corpus() -> dict[tuple[str, str], dict[str, str]]:
    """The projects of all graph files, by the file's stem and the mechanism, as ``project`` makes them."""
    keys = [(stem, name) for stem, graph in graphs().items() for name, way in mechanisms().items() if can(way, graph)]
    return dict(zip(keys, emit_all(_spec(graphs()[stem], name) for stem, name in keys), strict=True))


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
