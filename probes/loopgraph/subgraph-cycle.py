# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "subgraph-cycle"
# claim = "a composition that contains itself is refused with a ValueError that names the chain"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A child graph contains itself as a child, through one object. validate() must refuse it, and so must a run without
validation, before any handler of the second level runs.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, node, play, run, said, subgraph


def main(claim: Claim) -> None:
    config = {}
    looped = {
        "nodes": [
            {"id": "again", "kind": "subgraph", "handler": "", "config": config},
            {"id": "last", "kind": "terminal", "handler": "last", "config": {}},
        ],
        "edges": [{"id": "e", "source": "again", "target": "last"}],
    }
    config["graph"] = looped
    wf = graph("start>outer", node("start"), subgraph("outer", looped))
    ends = {}
    try:
        wf.validate()
    except ValueError as error:
        ends["validate()"] = said(error)
    bench = Bench()
    _, error = play(bench.tried(wf), 5)
    ends["run()"] = said(error)
    claim.equal("refused by", sorted(ends), ["run()", "validate()"])
    for name, end in ends.items():
        claim.true("ValueError" in end and "outer → again" in end, f"{name} {end}")
    claim.true("last" not in bench.order, "the child's terminal ran")
    claim.note(f"validate() and run(): {ends['validate()']}")


if __name__ == "__main__":
    run(__file__, main)
