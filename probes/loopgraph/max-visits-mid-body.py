# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "max-visits-mid-body"
# claim = "at the bound of a node in the middle of a loop, the run stops with an error or takes the exit edge"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The bound is on the critic, which is not the target of the back edge, so no switch checks it. The run must not end as
if it were complete, with the loop cut off and without a run of the node behind it.

False from 0.3 on: an edge of a loop whose target is exhausted is dropped silently (Scheduler._execute_node, branch
"reentry_completed_exhausted"), nothing is pending any more, and run() returns. In 0.2.0 the node behind the loop is
pending from the start, so the scheduler gives up with an error.
"""

from __future__ import annotations

from _kit import Bench, Claim, Refuted, graph, node, play, run, said, switch


def main(claim: Claim) -> None:
    wf = graph(
        "start>gen gen>critic critic>route route>gen:again route>out:exit",
        node("gen", allow_partial_upstream=True),
        node("critic", max_visits=2),
        switch("route"),
    )
    bench = Bench(route=lambda _: "again")
    results, error = play(bench.tried(wf))
    claim.equal("number of runs of the bounded node", bench.order.count("critic"), 2)
    claim.fact("calls", bench.order)
    if error is None and "out" not in results:
        raise Refuted("run() returned without an error and without the node behind the loop, in the middle of pass 3")
    claim.note(f"the run {said(error)}" if error else "the exit edge was taken")


if __name__ == "__main__":
    run(__file__, main)
