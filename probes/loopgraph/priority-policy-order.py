# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "priority-policy-order"
# claim = "PrioritySemaphorePolicy gives a slot that is free again to the lowest priority value that waits"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler", "loopgraph.concurrency:PrioritySemaphorePolicy"]
# timeout = 30
# ///
"""One holds the only slot while three wait, in an order that is not that of their priorities; two have the same and
keep their order.
"""

from __future__ import annotations

import asyncio

from _kit import Claim, play, run


async def scene() -> list[str]:
    from loopgraph.concurrency import PrioritySemaphorePolicy

    policy, order = PrioritySemaphorePolicy(limit=1), []

    async def worker(name: str, priority: int) -> None:
        async with policy.slot(name, priority=priority):
            order.append(name)
            await asyncio.sleep(0)

    async with policy.slot("holder", priority=99):
        tasks = []
        for name, priority in (("late", 9), ("middle", 5), ("middle again", 5), ("early", 0)):
            tasks.append(asyncio.ensure_future(worker(name, priority)))
            for _ in range(5):
                await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    return order


def main(claim: Claim) -> None:
    with claim.attempt("queueing"):
        order = play(scene())
    claim.equal("who got the slot", order, ["early", "middle", "middle again", "late"])
    claim.note("lowest value first, and in the order of asking where it is the same")


if __name__ == "__main__":
    run(__file__, main)
