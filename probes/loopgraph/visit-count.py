# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "visit-count"
# claim = "a node's visit count is kept across re-entry, in its events and in the snapshot"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""There are three passes. The completed events must count 1, 2, 3, and the last snapshot must store 3 for the nodes of
the loop and 1 for those outside. A reset that loses the count makes every event count 1.
"""

from __future__ import annotations

from _kit import Bench, Claim, JsonStore, loop, play, run


def main(claim: Claim) -> None:
    store = JsonStore()
    bench = Bench(store=store, route=lambda _: "again" if bench.order.count("gen") < 3 else "done")
    with claim.attempt("running"):
        play(bench.run(loop()))
    counted = [event.visit_count for event in bench.events if event.node_id == "gen" and event.visit_count]
    claim.equal("the counts in the events of the loop's first node", counted, [1, 2, 3])
    kept = {name: state["visits"]["count"] for name, state in store.load("g")["states"].items()}
    claim.equal("the counts in the snapshot", kept, {"start": 1, "gen": 3, "route": 3, "out": 1})
    claim.note("counted 1, 2, 3 in the events, and 3 in the snapshot")


if __name__ == "__main__":
    run(__file__, main)
