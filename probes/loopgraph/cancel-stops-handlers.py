# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "cancel-stops-handlers"
# claim = "a cancelled run leaves no handler running"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The run is cancelled while a handler sleeps. When the awaiter receives its CancelledError, the handler must have
ended. The README promises "cancelling a run still stops it, drains in-flight siblings". Further up, it admits that a
flat run may surface before its handlers finish.

False from 0.4 on: each node is a task of its own, and a flat run that is cancelled while it waits for these tasks
neither cancels nor awaits them (Scheduler.run, branch "legacy_flat_cancellation"). The handler runs to its end
unnoticed. A run that contains a child graph cancels and awaits them.
"""

from __future__ import annotations

import asyncio

from _kit import Absent, Bench, Claim, Refuted, graph, play, run, subgraph, terminal, wait


async def scene(wf):
    """Cancel a run; return what its handler had done when the awaiter was notified, and what it had done later."""
    log, inside = [], asyncio.Event()

    async def slow(_):
        inside.set()
        try:
            await asyncio.sleep(0.4)
            log.append("ran to its end")
        except asyncio.CancelledError:
            log.append("cancelled")
            raise

    task = asyncio.ensure_future(Bench(slow=slow).run(wf))
    await wait(inside, 5)
    task.cancel()
    await asyncio.wait({task}, timeout=5)
    at_once = [*log]
    await asyncio.sleep(0.6)
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
            raise Refuted(f"after a {name} run was cancelled its handler {''.join(later) or 'continued'}")
        claim.equal(f"the handler of a cancelled {name} run", (at_once, later), (["cancelled"], ["cancelled"]))
    claim.note("the handler was cancelled before the awaiter was notified")


if __name__ == "__main__":
    run(__file__, main)
