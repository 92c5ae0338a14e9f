# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "rerun-after-failure"
# claim = "a second run of a graph id whose handler raised completes the rest of the work"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The second of three nodes raises once. A second run by a new scheduler on the same store must run that node and the
last one. A fact records the same for the first node.

False in every release so far: a failed node stays failed in the snapshot, is never ready again, and leaves nothing to
do. From 0.3 on, run() then returns without an error and without the missing results. 0.2.0, and any release if an entry
node failed, gives up with RuntimeError. The README mentions this for child runs only ("not retried").
"""

from __future__ import annotations

from _kit import Bench, Claim, JsonStore, Refuted, graph, play, run, said


def twice(failing):
    """Run a chain whose named node raises, and run it again; return the calls and the end of the second run."""
    wf = graph("first>second second>third")
    store = JsonStore()

    def fail(_):
        raise RuntimeError("boom")

    _, error = play(Bench(store=store, **{failing: fail}).tried(wf))
    if str(error) != "boom":
        raise Refuted(f"the first run {said(error)}")
    bench = Bench(store=store.copy())
    results, error = play(bench.tried(wf))
    return bench.order, said(error), sorted(results or {})


def main(claim: Claim) -> None:
    claim.fact("after_the_first_failed", twice("first"))
    order, end, results = twice("second")
    claim.fact("after_the_second_failed", [order, end, results])
    if not order:
        raise Refuted(f"the second run {end} and ran nothing; it has the results of {results or 'no node'}")
    claim.equal("calls of the second run", order, ["second", "third"])
    claim.equal("its results", results, ["first", "second", "third"])
    claim.note("the failed node and the node behind it ran")


if __name__ == "__main__":
    run(__file__, main)
