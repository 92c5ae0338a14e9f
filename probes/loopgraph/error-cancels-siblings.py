# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "error-cancels-siblings"
# claim = "the first uncaught error cancels the branches that still run before run() raises it"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""One branch fails while the other is inside its handler. The other branch must be cancelled and must have ended when
run() raises. The cell is absent if the branches never run at the same time, because then there is no branch to cancel.
"""

from __future__ import annotations

import asyncio

from _kit import Absent, Bench, Claim, graph, play, run, said, turns, until


async def scene():
    """Return the log of what happened, and how the run ended."""
    log, inside = [], asyncio.Event()

    async def slow(_):
        inside.set()
        try:
            await turns(2000)
            log.append("slow ended by itself")
        except asyncio.CancelledError:
            await turns(10)
            log.append("slow cancelled")
            raise

    async def bad(_):
        if not await until(inside.is_set) or log:
            log.append("not at once")
        raise RuntimeError("boom")

    _, error = await Bench(capacity=2, slow=slow, bad=bad).tried(graph("src>bad src>slow bad>end slow>end2"))
    return [*log], said(error)


def main(claim: Claim) -> None:
    log, end = play(scene())
    if "not at once" in log:
        raise Absent("this release runs the branches one after the other")
    claim.equal("how the run ended", end, "raised RuntimeError: boom")
    claim.equal("the other branch when run() raised", log, ["slow cancelled"])
    claim.note("the other branch was cancelled and had ended when run() raised")


if __name__ == "__main__":
    run(__file__, main)
