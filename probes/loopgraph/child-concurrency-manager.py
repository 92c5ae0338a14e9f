# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "child-concurrency-manager"
# claim = "a manager that child_concurrency gives to two children at once is one ceiling for both"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Two siblings of two branches each run side by side and share a manager of capacity 1: no two handlers of theirs may
be at work at once. With a manager each of them, two must be. A manager of a child's child is found by its path.
"""

from __future__ import annotations

import asyncio
from typing import Any

from _kit import Bench, Claim, graph, node, play, run, subgraph, terminal


def sibling(name: str) -> Any:
    return subgraph(name, graph("first>last", node("first", handler=name), terminal("last")))


async def most_at_once(managers: dict[str, Any], wf: Any) -> int:
    working: list = []
    most: list = [0]

    async def work(payload: Any) -> str:
        working.append(payload)
        most[0] = max(most[0], len(working))
        # Turns of the loop, not time: whoever may start has started after some of them.
        for _ in range(200):
            await asyncio.sleep(0)
        working.pop()
        return "done"

    bench = Bench(capacity=4, options={"child_concurrency": managers}, left=work, right=work)
    await bench.run(wf)
    return most[0]


def main(claim: Claim) -> None:
    from loopgraph.concurrency import SemaphorePolicy

    wf = graph("before>left before>right", node("before"), sibling("left"), sibling("right"))
    outer = subgraph(
        "outer", graph("in>left in>right left>last", node("in"), sibling("left"), sibling("right"), terminal("last"))
    )
    deep = graph("before>outer", node("before"), outer)

    async def scene() -> dict[str, int]:
        shared = SemaphorePolicy(limit=1)
        by_path = SemaphorePolicy(limit=1)
        return {
            "shared": await most_at_once({"left": shared, "right": shared}, wf),
            "one_each": await most_at_once({"left": SemaphorePolicy(limit=1), "right": SemaphorePolicy(limit=1)}, wf),
            "shared_by_path": await most_at_once({"outer/left": by_path, "outer/right": by_path}, deep),
        }

    with claim.attempt("running with managers for children"):
        seen = play(scene())
    claim.fact("most_at_once", seen)
    claim.equal("handlers at work at once", seen, {"shared": 1, "one_each": 2, "shared_by_path": 1})
    claim.note("1 at once under one shared manager, 2 under one each, 1 by paths of two steps")


if __name__ == "__main__":
    run(__file__, main)
