# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "subgraph-terminal"
# claim = "a SUBGRAPH runs its child to the TERMINAL, whose result becomes the node's result and is passed on"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The parent has a capacity of one, which its node holds while the child runs. A second branch of the child never ends
by itself. The terminal must end the child anyway, and that branch must be cancelled.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, graph, node, play, run, subgraph, terminal


async def scene():
    """Return the results, what happened to the endless branch, and what the next node received."""
    held = []

    async def endless(_):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            held.append("cancelled")
            raise

    child = graph("first>work first>endless work>last", node("first"), terminal("last"))
    bench = Bench(
        first=lambda payload: f"{payload}+first",
        work=lambda payload: f"{payload}+work",
        last=lambda payload: f"{payload}+last",
        endless=endless,
    )
    wf = graph("before>sub sub>after", subgraph("sub", child))
    wf.validate()
    return await bench.run(wf), held, bench.given("after")


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        results, held, after = play(scene(), 5)
    claim.equal("the node's result", results.get("sub"), "before+first+work+last")
    claim.equal("what the node behind it received", after, ["before+first+work+last"])
    claim.equal("the endless branch", held, ["cancelled"])
    claim.equal("the parent's results", sorted(results), ["after", "before", "sub"])
    claim.note("the terminal's result became the node's result, and the endless branch was cancelled")


if __name__ == "__main__":
    run(__file__, main)
