# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "unconditional-cycle"
# claim = "a cycle without a condition is refused, or a run of it can be cancelled"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Two nodes that follow each other for ever, with handlers that do not await. The hundredth call of a handler asks the
run to stop at the next turn of the event loop; the thousandth ends what has not stopped, for the engine may never
give the loop a turn.

False before 0.4 unless somebody listens to events: nothing on the scheduler's way through a node yields to the
event loop, so neither a cancellation nor a timeout is ever delivered. From 0.4 on each node is a task. No release
refuses the cycle, though the README says that re-entry is triggered by a SWITCH: any edge of a cycle enters a
completed node again.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, graph, node, play, run, said

STOP = 100
GIVE_UP = 1000


class Runaway(BaseException):
    pass


async def scene(wf, listening):
    """Return how the run ended, and how often its handlers ran."""
    count, asked = [0], []

    def stop():
        asked.append(True)
        task.cancel()

    def beat(_):
        count[0] += 1
        if count[0] == STOP:
            asyncio.get_running_loop().call_soon(stop)
        if count[0] >= GIVE_UP:
            raise Runaway

    bench = Bench(listening=listening)
    for name in ("start", "ping", "pong"):
        bench.registry.register(name, beat)
    task = asyncio.ensure_future(bench.scheduler.run(wf))
    try:
        await task
    except asyncio.CancelledError:
        return "cancelled" if asked else "ended", count[0]
    except Runaway:
        return "not to be stopped", count[0]
    except ValueError as error:
        return f"refused: {error}", count[0]
    return "ended", count[0]


def main(claim: Claim) -> None:
    wf = graph("start>ping ping>pong pong>ping", node("ping", allow_partial_upstream=True))
    try:
        wf.validate()
    except ValueError as error:
        claim.note(f"validate() {said(error)}")
        return
    ends = {}
    for name, listening in (("with a listener", True), ("without a listener", False)):
        with claim.attempt(f"running {name}"):
            ends[name], count = play(scene(wf, listening))
        claim.fact(name.replace(" ", "_"), ends[name])
        claim.fact(f"handlers_run_{name.replace(' ', '_')}", count)
    for name, end in ends.items():
        claim.true(end != "ended", f"{name} the run ended by itself")
        claim.true(end != "not to be stopped", f"validate() lets it pass, and a run {name} was not to be cancelled")
    claim.note(f"validate() lets it pass; a run {' and one '.join(ends)} was {ends['with a listener']}")


if __name__ == "__main__":
    run(__file__, main)
