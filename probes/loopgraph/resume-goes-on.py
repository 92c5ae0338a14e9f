# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "resume-goes-on"
# claim = "a stopped run continues from its snapshot, without running a finished node again"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The run is stopped while the second of three nodes runs. A new scheduler with the store's JSON must run that node,
with the first node's result, and the node behind it, and must return all results.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, JsonStore, graph, play, run


async def scene():
    """Return the calls of the stopped run, the calls of the run that continues, and the results of the latter."""
    reached = asyncio.Event()

    async def stuck(_):
        reached.set()
        await asyncio.sleep(60)

    wf = graph("first>second second>third")
    store = JsonStore()
    stopped = Bench(store=store, second=stuck)
    left = await stopped.crash(wf, reached, store)
    resumed = Bench(store=left, second=lambda payload: f"{payload}+second")
    results = await resumed.run(wf)
    return stopped.order, resumed.calls, results


def main(claim: Claim) -> None:
    with claim.attempt("stopping and resuming"):
        before, after, results = play(scene())
    claim.equal("calls before the stop", before, ["first", "second"])
    claim.equal("calls of the run that continues", after, [("second", "first"), ("third", "first+second")])
    claim.equal("the results", results, {"first": "first", "second": "first+second", "third": "third"})
    claim.note("continued with the node that was running")


if __name__ == "__main__":
    run(__file__, main)
