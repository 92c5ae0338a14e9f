# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "child-concurrency-limit"
# claim = "config concurrency_limit caps a child's handlers, which have no cap without it"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The child has four branches and the parent a capacity of one. Without a limit all four must be at work at once, with
a limit of 2 two at a time. Each handler waits until the others are there or a moment has passed, so that none is done
before they could have begun.

A limit that is no positive whole number must be refused by validate().
"""

from __future__ import annotations

import asyncio
from typing import Any

from _kit import Bench, Claim, aggregate, graph, node, play, run, said, subgraph, terminal

BRANCHES = "abcd"


def composed(config: dict[str, Any]) -> Any:
    edges = [f"first>{name} {name}>join" for name in BRANCHES]
    child = graph(" ".join([*edges, "join>last"]), node("first"), aggregate("join"), terminal("last"))
    sub = subgraph("sub", child)
    sub.config.update(config)
    return graph("before>sub", node("before"), sub)


async def most_at_once(config: dict[str, Any]) -> int:
    working: list = []
    most: list = [0]
    full = asyncio.Event()

    async def branch(payload: Any) -> str:
        working.append(payload)
        most[0] = max(most[0], len(working))
        if len(working) == len(BRANCHES):
            full.set()
        # Turns of the loop, not time: whoever may start has started after some of them.
        for _ in range(200):
            if full.is_set():
                break
            await asyncio.sleep(0)
        working.pop()
        return "done"

    await Bench(capacity=1, **dict.fromkeys(BRANCHES, branch)).run(composed(config))
    return most[0]


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        seen = {name: play(most_at_once(config)) for name, config in CONFIGS.items()}
    claim.fact("most_at_once", seen)
    refused = {}
    for bad in (0, -1, True, "2"):
        try:
            composed({"concurrency_limit": bad}).validate()
            refused[repr(bad)] = "not refused"
        except ValueError as error:
            refused[repr(bad)] = said(error)
    claim.fact("bad_limits", refused)
    claim.equal("handlers at work at once", seen, {"no limit": 4, "2": 2, "1": 1})
    passed = [bad for bad, end in refused.items() if end == "not refused"]
    claim.equal("bad limits that pass validate()", passed, [])
    claim.note("4 at once without a limit, 2 under 2, 1 under 1, in a parent with a capacity of 1")


CONFIGS: dict[str, dict[str, Any]] = {"no limit": {}, "2": {"concurrency_limit": 2}, "1": {"concurrency_limit": 1}}


if __name__ == "__main__":
    run(__file__, main)
