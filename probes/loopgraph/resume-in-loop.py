# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "resume-in-loop"
# claim = "a run that was stopped in the second pass of a loop continues there, and so does its visit count"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The run is stopped while the critic is in its second pass of three. The run that continues must start at the critic
and continue the generator's visit count after 2. A run that starts over visits the generator four times, or counts from
1.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, JsonStore, graph, node, play, run, switch


async def scene():
    """Return the calls of the stopped run, and the bench of the run that continues."""
    reached = asyncio.Event()

    async def critic(_):
        if stopped.order.count("critic") == 2:
            reached.set()
            await asyncio.sleep(60)
        return "no"

    wf = graph(
        "start>gen gen>critic critic>route route>gen:again route>out:exit",
        node("gen", allow_partial_upstream=True, max_visits=3),
        switch("route"),
    )
    store = JsonStore()
    stopped = Bench(store=store, critic=critic, route=lambda _: "again")
    left = await stopped.crash(wf, reached, store)
    resumed = Bench(store=left, route=lambda _: "again")
    await resumed.run(wf)
    return stopped.order, resumed


def main(claim: Claim) -> None:
    with claim.attempt("stopping and resuming"):
        before, resumed = play(scene())
    claim.equal("calls before the stop", before, ["start", "gen", "critic", "route", "gen", "critic"])
    claim.equal("calls of the run that continues", resumed.order, ["critic", "route", "gen", "critic", "route", "out"])
    counts = [event.visit_count for event in resumed.events if event.node_id == "gen" and event.visit_count]
    claim.equal("the generator's visits after that", counts, [3])
    claim.note("continued at the critic of pass 2; max_visits=3 applied across both runs")


if __name__ == "__main__":
    run(__file__, main)
