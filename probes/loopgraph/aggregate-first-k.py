# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "aggregate-first-k"
# claim = "an AGGREGATE that requires 2 of 3 fires once, at its second input, with those two in definition order"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The third node completes first, and then the first node. The second node waits until the merge has run. So the two
earliest nodes are not the first two, and they do not complete in the order of their definition. "Definition order" is
the order of the edges into the merge, which here differs from that of the nodes.

False before 0.4: nodes run one at a time, and all three run before the merge, or (0.2.0) in an order that varies.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, Refuted, aggregate, graph, node, play, run, said, turns, until


async def scene():
    """Return the bench, whether the merge ran before the second node was done, and how the run ended."""
    merged, third, early = asyncio.Event(), asyncio.Event(), []

    def c(_):
        third.set()
        return "c"

    async def a(_):
        await until(third.is_set)
        await turns()
        return "a"

    async def b(_):
        early.append(await until(merged.is_set))
        return "b"

    def m(_):
        merged.set()
        return "m"

    wf = graph("src>a src>b src>c c>m b>m a>m m>end", *map(node, ("src", "a", "b", "c")), aggregate("m", required=2))
    bench = Bench(capacity=4, a=a, b=b, c=c, m=m)
    _, error = await bench.tried(wf)
    return bench, early == [True], error


def main(claim: Claim) -> None:
    bench, early, error = play(scene())
    if bench.given("m") != [["c", "a"]]:
        claim.measure("inputs_seen", bench.given("m"))
        raise Refuted("it did not fire exactly once with the two earliest of three results")
    claim.true(early, "it fired only after the third input")
    claim.true(error is None, f"the run {said(error)}")
    claim.equal("runs of the node behind it", bench.order.count("end"), 1)
    claim.note("fired once, with the two earliest results, in the order of the edges into it")


if __name__ == "__main__":
    run(__file__, main)
