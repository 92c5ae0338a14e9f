# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "diamond-capacity"
# claim = "a diamond's branches run at the same time at capacity 2, and one at a time at capacity 1"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Each branch waits briefly until the other one has started, and the probe counts how many branches are active at the
same time. The join must have both results, in the order of the edges into it.

False before 0.4: the scheduler awaits one node after the other, whatever the capacity.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, aggregate, graph, play, run, until


async def most_at_once(claim, capacity):
    """Run a diamond, and return how many of its branches were active at the same time."""
    inside, most, started = [], [], {"left": asyncio.Event(), "right": asyncio.Event()}

    def branch(name, other):
        async def handler(_):
            inside.append(name)
            most.append(len(inside))
            started[name].set()
            await until(started[other].is_set)
            inside.remove(name)
            return name

        return handler

    bench = Bench(capacity, left=branch("left", "right"), right=branch("right", "left"))
    await bench.run(graph("src>left src>right left>join right>join", aggregate("join")))
    claim.equal("what the join received", bench.given("join"), [["left", "right"]])
    return max(most)


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        seen = {capacity: play(most_at_once(claim, capacity)) for capacity in (1, 2)}
    claim.equal("branches at the same time at capacity 1", seen[1], 1)
    claim.equal("branches at the same time at capacity 2", seen[2], 2)
    claim.note("2 at the same time at capacity 2, 1 at capacity 1")


if __name__ == "__main__":
    run(__file__, main)
