# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-pass-memory"
# claim = "memory is flat over 1,000 passes through a loop"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 120
# ///
"""What is in use is read at passes 200, 400, 600, 800 and 1,000. In the middle one of the stretches between them
(of four the second least, for interpreters now and then enlarge a table of their own) less than 4 KiB may be added:
20 bytes a pass, less than any object. With a store for snapshots and nobody listening; a log of events grows, of
course. The engine's registry and bus are used directly, for a bench remembers every call.
"""

from __future__ import annotations

import gc
import tracemalloc

from _kit import Claim, loop, play, run

PASSES = 1000
STRETCH = 200
LIMIT_KIB = 4


async def grown():
    """Return the passes, and by how many bytes the memory in use grew in each stretch after the first."""
    from loopgraph.bus.eventbus import EventBus
    from loopgraph.concurrency import SemaphorePolicy
    from loopgraph.persistence import InMemorySnapshotStore
    from loopgraph.registry.function_registry import FunctionRegistry
    from loopgraph.scheduler.scheduler import Scheduler

    passes, in_use = [0], []

    def gen(_):
        passes[0] += 1
        if passes[0] == STRETCH // 2:
            tracemalloc.start()
        elif passes[0] % STRETCH == 0:
            gc.collect()
            in_use.append(tracemalloc.get_traced_memory()[0])
        return "draft"

    registry = FunctionRegistry()
    registry.register("start", lambda payload: payload)
    registry.register("gen", gen)
    registry.register("route", lambda _: "again" if passes[0] < PASSES else "done")
    registry.register("out", lambda payload: payload)
    scheduler = Scheduler(registry, EventBus(), SemaphorePolicy(limit=1), snapshot_store=InMemorySnapshotStore())
    try:
        await scheduler.run(loop())
    finally:
        tracemalloc.stop()
    return passes[0], [after - before for before, after in zip(in_use, in_use[1:])]


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        passes, grew = play(grown(), 60)
    claim.equal("passes", passes, PASSES)
    claim.equal("stretches", len(grew), PASSES // STRETCH - 1)
    middle = sorted(grew)[1]
    claim.measure("bytes_a_pass", round(middle / STRETCH, 1))
    claim.true(middle < LIMIT_KIB * 1024, f"{LIMIT_KIB} KiB or more are added every {STRETCH} passes")
    claim.note(f"less than {LIMIT_KIB} KiB are added in {STRETCH} passes, up to pass {PASSES}")


if __name__ == "__main__":
    run(__file__, main)
