# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "subgraph-diamond-in-loop"
# claim = "parallel branches that meet inside a loop run as a SUBGRAPH, again in each pass"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The engine refuses a flat graph of this shape, because its loops share nodes. As a child graph, each pass must run
both branches at the same time, and join only the results of that pass.
"""

from __future__ import annotations

from _kit import Bench, Claim, JsonStore, aggregate, graph, play, run, subgraph, switch, terminal, turns


async def scene():
    """Return the bench, and the number of branches that were active at the same time."""
    inside, most = [], []

    def branch(name):
        async def handler(_):
            inside.append(name)
            await turns()
            most.append(len(inside))
            await turns()
            inside.remove(name)
            return f"{name} {bench.order.count(name)}"

        return handler

    child = graph("src>left src>right left>join right>join join>last", aggregate("join"), terminal("last"))
    wf = graph(
        "start>sub sub>route route>sub:again route>out:done",
        subgraph("sub", child, allow_partial_upstream=True),
        switch("route"),
    )
    wf.validate()
    bench = Bench(
        store=JsonStore(),
        left=branch("left"),
        right=branch("right"),
        join=lambda payload: payload,
        last=lambda payload: payload,
        route=lambda _: "again" if bench.order.count("route") < 2 else "done",
    )
    await bench.run(wf)
    return bench, most


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        bench, most = play(scene())
    claim.equal("what the switch received", bench.given("route"), [["left 1", "right 1"], ["left 2", "right 2"]])
    claim.equal("branches at the same time", most, [2, 2, 2, 2])
    claim.note("both branches ran at the same time and met in each of 2 passes")


if __name__ == "__main__":
    run(__file__, main)
