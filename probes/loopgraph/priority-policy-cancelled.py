# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "priority-policy-cancelled"
# claim = "a queued PrioritySemaphorePolicy acquisition that is cancelled blocks nobody after it"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler", "loopgraph.concurrency:PrioritySemaphorePolicy"]
# timeout = 30
# ///
"""One holds the only slot, a second waits at the head of the queue and is cancelled, a third waits behind it. Once the
slot is free the third must get it: an entry that stays at the head of the queue would keep everybody waiting for ever.
"""

from __future__ import annotations

import asyncio

from _kit import Claim, play, run, wait


async def scene() -> dict[str, bool]:
    from loopgraph.concurrency import PrioritySemaphorePolicy

    policy, got = PrioritySemaphorePolicy(limit=1), asyncio.Event()

    async def worker(priority: int, event: asyncio.Event) -> None:
        async with policy.slot("worker", priority=priority):
            event.set()

    async def turns() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    cancelled = asyncio.Event()
    async with policy.slot("holder"):
        head = asyncio.ensure_future(worker(0, cancelled))
        await turns()
        behind = asyncio.ensure_future(worker(5, got))
        await turns()
        head.cancel()
        await asyncio.wait({head})
    served = await wait(got)
    behind.cancel()
    await asyncio.wait({behind}, timeout=1)
    return {"the_cancelled_one_got_the_slot": cancelled.is_set(), "the_one_behind_it_got_the_slot": served}


def main(claim: Claim) -> None:
    seen = play(scene())
    claim.fact("seen", seen)
    claim.true(not seen["the_cancelled_one_got_the_slot"], "the one that was cancelled got the slot")
    # Before 0.5 the entry of the one that was cancelled stays at the head of the queue.
    claim.true(seen["the_one_behind_it_got_the_slot"], "the one behind it never got the slot, although it was free")
    claim.note("the one behind it got the slot")


if __name__ == "__main__":
    run(__file__, main)
