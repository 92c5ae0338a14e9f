# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "subgraph-resume"
# claim = "a run that was stopped inside a child continues inside it, without running a finished node again"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The run is stopped while the second of the child's three nodes runs. A new scheduler with the store's content must
run only that node, the terminal and the node behind the child.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, JsonStore, graph, play, run, subgraph, terminal


async def scene():
    """Return the calls of the stopped run, the calls of the run that continues, and the results of the latter."""
    reached = asyncio.Event()

    async def stuck(_):
        reached.set()
        await asyncio.sleep(60)

    child = graph("first>second second>last", terminal("last"))
    wf = graph("before>sub sub>after", subgraph("sub", child))
    store = JsonStore()
    stopped = Bench(store=store, second=stuck)
    left = await stopped.crash(wf, reached, store)
    resumed = Bench(store=left, second=lambda payload: f"{payload}+second", last=lambda payload: f"{payload}+last")
    results = await resumed.run(wf)
    return stopped.order, resumed.order, results


def main(claim: Claim) -> None:
    with claim.attempt("stopping and resuming"):
        before, after, results = play(scene())
    claim.equal("calls before the stop", before, ["before", "first", "second"])
    claim.equal("calls of the run that continues", after, ["second", "last", "after"])
    claim.equal("the child's result", results["sub"], "first+second+last")
    claim.note("continued with the node that was running")


if __name__ == "__main__":
    run(__file__, main)
