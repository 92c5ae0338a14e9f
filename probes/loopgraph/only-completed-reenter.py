# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "only-completed-reenter"
# claim = "a back edge enters a completed node again, but not a failed or a running one"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""There are three cases. A completed node must run again. A node that a snapshot stores as failed must not run again.
In the third case, the switch may start on partial input and sends a back edge to a node that is still running: that
node must not start a second time, and the run must report it. If the release runs one node at a time, the third case
cannot occur, which a fact records.
"""

from __future__ import annotations

from _kit import Bench, Claim, JsonStore, graph, loop, node, play, run, said, switch, turns


def failed_before(store):
    """Save a run in which gen has failed, and the switch behind it is the next to run."""
    from loopgraph.core.state import ExecutionState
    from loopgraph.core.types import VisitOutcome

    state = ExecutionState()
    state.mark_complete("start", "start-1", VisitOutcome.success("start"))
    state.note_upstream_completion("gen", "start")
    state.mark_failed("gen", "gen-2", VisitOutcome.failure("boom"))
    state.note_upstream_completion("route", "gen")
    store.save("g", state.snapshot())


async def while_running():
    """Send a back edge to a running node; return the bench, whether the node was running, and how the run ended."""
    seen = []

    async def gen(_):
        seen.append("in")
        await turns(1000)
        seen.append("out")
        return "gen"

    def route(_):
        if seen.count("in") > seen.count("out"):
            seen.append("met")
            return "again"
        return "done"

    wf = graph(
        "start>gen start>route gen>route route>gen:again route>out:done",
        node("gen", allow_partial_upstream=True),
        switch("route", allow_partial_upstream=True),
    )
    bench = Bench(capacity=2, gen=gen, route=route)
    _, error = await bench.tried(wf)
    return bench, "met" in seen, error


def main(claim: Claim) -> None:
    bench = Bench(route=lambda _: "again" if bench.order.count("gen") < 2 else "done")
    with claim.attempt("entering a completed node again"):
        play(bench.run(loop()))
    claim.equal("runs of the completed node", bench.order.count("gen"), 2)

    store = JsonStore()
    failed_before(store)
    bench = Bench(store=store, route=lambda _: "again")
    play(bench.tried(loop()))
    claim.equal("calls after a failed node", bench.order, ["route"])

    bench, met, error = play(while_running())
    claim.fact("running_target_met", met)
    if met:
        claim.equal("starts of the running node", bench.order.count("gen"), 1)
        claim.true("non-terminal re-entry target" in said(error), f"with a running target the run {said(error)}")
    claim.note("a completed node ran again, a failed one did not" + (", a running one stopped the run" if met else ""))


if __name__ == "__main__":
    run(__file__, main)
