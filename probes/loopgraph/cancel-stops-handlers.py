# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "cancel-stops-handlers"
# claim = "a run that was cancelled leaves no handler running"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Cancelled while a handler waits. When the awaiter has its CancelledError, the handler must be over, and stay so when
what it waited for comes.
The README promises "cancelling a run still stops it, drains in-flight siblings"; further up it owns up that a flat
run may surface before its handlers finish.

False from 0.4 on: each node is a task of its own, and a flat run that is cancelled while it waits for them neither
cancels nor awaits them (Scheduler.run, branch "legacy_flat_cancellation"): the handler runs to its end, unseen. A
run that contains a child graph does both.
"""

from __future__ import annotations

import asyncio

from _kit import Absent, Bench, Claim, Refuted, graph, play, run, subgraph, terminal, turns, until


async def scene(wf):
    """Cancel a run; return what its handler did until the awaiter knew, and a while later."""
    log, inside, free = [], asyncio.Event(), asyncio.Event()

    async def slow(_):
        inside.set()
        try:
            await free.wait()
            log.append("ran to its end")
        except asyncio.CancelledError:
            log.append("cancelled")
            raise

    task = asyncio.ensure_future(Bench(slow=slow).run(wf))
    await until(inside.is_set)
    task.cancel()
    await until(task.done)
    at_once = [*log]
    free.set()
    await turns()
    return at_once, log


def main(claim: Claim) -> None:
    graphs = {"flat": graph("first>slow")}
    try:
        graphs["composed"] = graph("first>sub", subgraph("sub", graph("slow>last", terminal("last"))))
    except Absent:
        claim.fact("composed", "no such thing")
    seen = {}
    for name, wf in graphs.items():
        with claim.attempt(f"cancelling a {name} run"):
            seen[name] = play(scene(wf))
        claim.fact(name, seen[name])
    for name, (at_once, later) in seen.items():
        if not at_once:
            raise Refuted(f"after a {name} run was cancelled its handler {''.join(later) or 'went on'}")
        claim.equal(f"the handler of a cancelled {name} run", (at_once, later), (["cancelled"], ["cancelled"]))
    claim.note("the handler was cancelled before the awaiter knew")


if __name__ == "__main__":
    run(__file__, main)
