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
"""Two nodes follow each other forever, with handlers that do not await. The run is asked to stop after 50 ms. If it
does not stop, a handler ends it more than a second later, because the engine may never give the event loop a turn.

False before 0.4 unless there is a listener to the events: nothing on the scheduler's way through a node yields to the
event loop, so neither a cancellation nor a timeout is ever delivered. From 0.4 on, each node is a task. No release
refuses the cycle, although the README says that a SWITCH triggers re-entry: any edge of a cycle enters a completed node
again.
"""

from __future__ import annotations

import asyncio
import time

from _kit import Bench, Claim, graph, node, play, run, said


class Runaway(BaseException):
    pass


async def scene(wf, listening):
    """Return how the run ended, and how often its handlers ran."""
    count, asked = [0], []

    def beat(_):
        count[0] += 1
        if time.monotonic() - began > 1.5:
            raise Runaway

    bench = Bench(listening=listening)
    bench.registry.register("ping", beat)
    bench.registry.register("pong", beat)
    bench.registry.register("start", beat)
    began = time.monotonic()
    task = asyncio.ensure_future(bench.scheduler.run(wf))

    def stop():
        asked.append(True)
        task.cancel()

    asyncio.get_running_loop().call_later(0.05, stop)
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
        claim.measure(f"handlers_run_{name.replace(' ', '_')}", count)
    for name, end in ends.items():
        claim.true(end != "ended", f"{name} the run ended by itself")
        claim.true(end != "not to be stopped", f"validate() accepts the cycle, and a run {name} could not be cancelled")
    claim.note(f"validate() accepts the cycle; a run {' and one '.join(ends)} was {ends['with a listener']}")


if __name__ == "__main__":
    run(__file__, main)
