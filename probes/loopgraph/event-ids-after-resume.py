# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "event-ids-after-resume"
# claim = "event ids continue after a resume, so that none appears twice in the log"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The ids end in a number. The run is stopped in the second of three nodes, and a new scheduler with the same log
resumes it.

False before 0.5: every scheduler counts from 1. Either the node that was running is scheduled under the same id twice,
or its ids collide with those of the first run.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, JsonStore, graph, play, run


async def scene():
    """Return the ids in the log after the stop and after the end."""
    from loopgraph.persistence import InMemoryEventLog

    reached = asyncio.Event()

    async def stuck(_):
        reached.set()
        await asyncio.sleep(60)

    wf = graph("first>second second>third")
    store, log = JsonStore(), InMemoryEventLog()
    left = await Bench(store=store, log=log, second=stuck).crash(wf, reached, store)
    before = [event.id for event in log.iter("g")]
    await Bench(store=left, log=log).run(wf)
    return before, [event.id for event in log.iter("g")]


def main(claim: Claim) -> None:
    with claim.attempt("stopping and resuming"):
        before, ids = play(scene())
    claim.equal("the ids before the stop", before, ["first-1", "first-2", "second-3"])
    claim.fact("ids", ids)
    numbers = [int(item.rpartition("-")[2]) for item in ids]
    claim.true(numbers == sorted(set(numbers)), f"the ids after the resume are {', '.join(ids[len(before) :])}")
    claim.note(f"{ids[len(before) - 1]} was the last id before the stop, {ids[len(before)]} the next")


if __name__ == "__main__":
    run(__file__, main)
