# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "subgraph-canonical-dict"
# claim = "to_dict() of a composition is canonical: the same after a round trip, without foreign keys"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The child has a namespace directive, tuples, keys that no schema knows, and values of its own in the supported
config and metadata. Bare handler names must come out qualified and the directive gone at every depth, foreign keys
gone, values kept; the text of a round trip must be the same, as whoever compares or signs definitions needs.

A body that does not parse, and a composition that contains itself, must raise ValueError.
"""

from __future__ import annotations

import json
from typing import Any

from _kit import Claim, graph, node, run, said, subgraph

INNER = {
    "namespace": "acme.etl",
    "nodes": ({"id": "last", "kind": "terminal", "handler": "clean", "config": {"mine": [1]}, "color": "red"},),
    "edges": (),
    "author": "ann",
}


def outer(body: Any) -> dict[str, Any]:
    return {
        "nodes": [
            {"id": "first", "kind": "task", "handler": "first"},
            {"id": "deeper", "kind": "subgraph", "config": {"graph": body, "kept": True}},
            {"id": "end", "kind": "terminal", "handler": "end"},
        ],
        "edges": [
            {"id": "a", "source": "first", "target": "deeper", "metadata": {"note": "kept"}, "width": 2},
            {"id": "b", "source": "deeper", "target": "end"},
        ],
    }


def ending(body: Any) -> str:
    try:
        graph("before>sub", node("before"), subgraph("sub", body)).to_dict()
    except Exception as error:
        return said(error)
    return "not refused"


def main(claim: Claim) -> None:
    from loopgraph.core.graph import Graph

    with claim.attempt("serializing"):
        data = graph("before>sub", node("before"), subgraph("sub", outer(INNER))).to_dict()
        text = json.dumps(data, sort_keys=True)
        again = json.dumps(Graph.from_dict(json.loads(text)).to_dict(), sort_keys=True)
    claim.fact("text", text)
    claim.equal("the text of a round trip", again, text)
    foreign = [word for word in ("namespace", "color", "author", "width") if f'"{word}"' in text]
    claim.equal("foreign keys that are left", foreign, [])
    kept = [word for word in ('"mine": [1]', '"kept": true', '"note": "kept"') if word in text]
    claim.equal("values of config and metadata that are kept", len(kept), 3)
    claim.true('"handler": "acme.etl/clean"' in text, "the handler under the directive is not qualified")
    looped = outer({})
    looped["nodes"][1]["config"]["graph"] = looped
    ends = {"a_body_that_does_not_parse": ending({"nodes": [{"id": "x"}]}), "a_cycle": ending(looped)}
    claim.fact("refusals", ends)
    for name, end in ends.items():
        claim.true("ValueError" in end, f"{name.replace('_', ' ')}: {end}")
    claim.note("the same text after a round trip, foreign keys gone, values kept, names qualified")


if __name__ == "__main__":
    run(__file__, main)
