# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "composed-run-ids"
# claim = "a run id or a node id with / or @ is refused where there are children, before any handler"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Those characters part the names of child runs. An id that holds one could be taken for a child run's, and its
snapshot read as one. Nobody calls ``validate()``. A graph without children is a fact: its ids were free before.
"""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, graph, node, play, run, said, subgraph, terminal


def attempted(graph_id: str, name: str, composed: bool = True) -> dict[str, Any]:
    child = graph(f"first>{name}", node("first"), terminal(name, handler="last"))
    sub = subgraph("sub", child)
    wf = graph("before>sub", node("before"), sub) if composed else graph("before>after")
    bench = Bench()
    _, error = play(bench.tried(wf, graph_id=graph_id))
    return {"end": said(error), "ran": bench.order}


def main(claim: Claim) -> None:
    good = attempted("g", "last")
    claim.true("without an error" in good["end"], f"ids without those characters: {good['end']}")
    claim.fact("without_children", {name: attempted(name, "last", composed=False) for name in ("a/b", "a@1")})
    seen = {
        "run id with /": attempted("a/b", "last"),
        "run id with @": attempted("a@1", "last"),
        "node id with @": attempted("g", "last@1"),
        "node id with /": attempted("g", "la/st"),
    }
    claim.fact("seen", seen)
    passed = [name for name, item in seen.items() if "ValueError" not in item["end"] or item["ran"]]
    claim.equal("ids that are not refused before any handler", passed, [])
    claim.note(f"refused before any handler: {', '.join(seen)}")


if __name__ == "__main__":
    run(__file__, main)
