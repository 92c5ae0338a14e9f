# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "resume-goes-on"
# claim = "a run that was stopped goes on from its snapshot, without running a finished node again"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Stopped while the second of three nodes runs. A new scheduler with what the store held as JSON must run that node
and the one behind it, with the first one's result, and return all results.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, JsonStore, graph, play, run


async def scene():
    """Return the calls of the stopped run and of the one that goes on, and what the latter made."""
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
    claim.equal("calls until it was stopped", before, ["first", "second"])
    claim.equal("calls of the run that goes on", after, [("second", "first"), ("third", "first+second")])
    claim.equal("the results", results, {"first": "first", "second": "first+second", "third": "third"})
    claim.note("went on with the node that was running")


if __name__ == "__main__":
    run(__file__, main)
