# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "fresh-visits-next-run"
# claim = "a second run under a graph id of its own counts its visits from 1 again"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""One scheduler with one store runs a loop with max_visits=2 twice. The second run must make its two passes. A fact
records a second run under the same id: it runs nothing and returns the first run's results, whatever its payload.
"""

from __future__ import annotations

from _kit import Bench, Claim, JsonStore, loop, play, run, said


def main(claim: Claim) -> None:
    bench = Bench(store=JsonStore(), route=lambda _: "again", start=lambda payload: payload)
    wf = loop("exit", max_visits=2)
    whole = ["start", *["gen", "route"] * 2, "out"]
    with claim.attempt("running"):
        play(bench.run(wf, "one", "turn-1"))
        claim.equal("calls of the first run", bench.order, whole)
        del bench.calls[:]
        results = play(bench.run(wf, "two", "turn-2"))
    claim.equal("calls of the second run", bench.order, whole)
    claim.equal("what it began with", results["start"], "two")
    counts = [event.visit_count for event in bench.events if event.graph_id == "turn-2" and event.node_id == "gen"]
    claim.equal("the counts in its events", counts, [None, 1, None, 2])
    del bench.calls[:]
    results, error = play(bench.tried(wf, "three", "turn-2"))
    same = f"{said(error)}, ran {len(bench.order)} handlers, began with {(results or {}).get('start')!r}"
    claim.fact("under_the_same_id", same)
    claim.note(f"2 passes again; under the same id the run {same}")


if __name__ == "__main__":
    run(__file__, main)
