# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "aggregate-first-k-crash"
# claim = "an AGGREGATE that requires 2 of 3 gets the same two inputs again after a crash"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""c and a complete first and fire the merge; b completes while the merge is at work, and its completion is saved. Then
the process dies. On resume the merge must run once, with c and a: by the order of the definition a and b would be the
two earliest, since nobody saved which came first.

The merge's handler changes what it was given before it is stopped, which must not show either.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from _kit import Bench, Claim, JsonStore, Refuted, aggregate, graph, node, play, run, said, wait


async def scene(seen: dict[str, Any]) -> None:
    third, fired, reached = asyncio.Event(), asyncio.Event(), asyncio.Event()
    store = JsonStore()

    def c(_: Any) -> str:
        third.set()
        return "c"

    async def a(_: Any) -> str:
        await wait(third)
        for _ in range(20):
            await asyncio.sleep(0)
        return "a"

    async def b(_: Any) -> str:
        await wait(fired)
        return "b"

    async def m(payload: Any) -> str:
        payload.append("changed by the handler")
        fired.set()
        # Until the snapshot holds that b is done, or for a moment where it never will.
        for _ in range(200):
            if "b" in json.loads(store.texts.get("g", '{"completed_nodes": []}'))["completed_nodes"]:
                break
            await asyncio.sleep(0.005)
        reached.set()
        await asyncio.sleep(60)
        return "m"

    wf = graph("src>a src>b src>c a>m b>m c>m m>end", *map(node, ("src", "a", "b", "c")), aggregate("m", required=2))
    first = Bench(capacity=4, store=store, a=a, b=b, c=c, m=m)
    left = await first.crash(wf, reached, store)
    given = [[item for item in payload if item != "changed by the handler"] for payload in first.given("m")]
    seen["before"] = given
    seen["completed_in_the_snapshot"] = sorted(json.loads(left.texts["g"])["completed_nodes"])
    again = Bench(capacity=4, store=left)
    await again.run(wf)
    seen.update(after=again.given("m"), ran=again.order)


def main(claim: Claim) -> None:
    seen: dict[str, Any] = {"before": []}
    error = None
    try:
        play(scene(seen))
    except Exception as raised:
        error = raised
    if seen["before"] != [["a", "c"]]:
        # Before 0.4 nodes run one at a time, in an order that may vary.
        claim.measure("inputs_before_the_crash", seen["before"])
        raise Refuted("the merge was not given the two earliest before the crash")
    claim.true(error is None, f"the resumed run {said(error)}")
    claim.fact("seen", seen)
    claim.true("b" in seen["completed_in_the_snapshot"], "the third input was not in the snapshot: nothing can be told")
    claim.equal("what the merge was given on resume", seen["after"], [["a", "c"]])
    claim.equal("what ran on resume", seen["ran"], ["m", "end"])
    claim.note("a and c before the crash and on resume, although b was done by then")


if __name__ == "__main__":
    run(__file__, main)
