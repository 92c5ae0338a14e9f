# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "plain-back-edge"
# claim = "a loop needs only its edges: its first node does not wait for its back edge"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The README says: "declare a cycle in your graph and the engine handles reset, visit tracking, and state management
automatically". The loop's first node has two upstream nodes: the node before the loop, and the switch at the loop's
end.

False in every release so far: a node waits for all of its upstream nodes (ExecutionState.is_ready), including the end
of the loop, unless it has ``allow_partial_upstream=True``. validate() accepts the graph.
"""

from __future__ import annotations

from _kit import Bench, Claim, Refuted, graph, node, play, run, said, switch


def main(claim: Claim) -> None:
    wf = graph("start>gen gen>route route>gen:again route>out:done", node("start"), node("gen"), switch("route"))
    bench = Bench(route=lambda _: "again" if bench.order.count("gen") < 2 else "done")
    with claim.attempt("validating"):
        wf.validate()
    _, error = play(bench.tried(wf))
    claim.fact("calls", bench.order)
    if error is not None and bench.order == ["start"]:
        raise Refuted(f"after the first node the run {said(error)}; it runs only with allow_partial_upstream")
    claim.true(error is None, f"the run {said(error)}")
    claim.equal("the calls", bench.order, ["start", *["gen", "route"] * 2, "out"])
    claim.note("2 passes without allow_partial_upstream")


if __name__ == "__main__":
    run(__file__, main)
