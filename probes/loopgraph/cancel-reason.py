# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "cancel-reason"
# claim = "the reason string of a cancellation reaches the code that awaits the run"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The probe calls task.cancel("deadline") while a handler runs: in a flat graph and, if the release has child graphs,
inside a child graph. The README says that the reason is lost on Python 3.10, whose tasks drop it when they await
another task.
"""

from __future__ import annotations

import asyncio

from _kit import Absent, Bench, Claim, graph, play, run, subgraph, terminal, until


async def arguments(wf):
    """Cancel a run with a reason, and return what its awaiter receives."""
    inside = asyncio.Event()

    async def stuck(_):
        inside.set()
        await asyncio.sleep(60)

    task = asyncio.ensure_future(Bench(stuck=stuck).run(wf))
    await until(inside.is_set)
    task.cancel("deadline")
    await until(task.done)
    try:
        await task
    except asyncio.CancelledError as error:
        return list(error.args)
    return "no cancellation"


def main(claim: Claim) -> None:
    graphs = {"flat": graph("first>stuck")}
    try:
        graphs["composed"] = graph("first>sub", subgraph("sub", graph("stuck>last", terminal("last"))))
    except Absent:
        claim.fact("composed", "no such thing")
    for name, wf in graphs.items():
        with claim.attempt(f"cancelling a {name} run"):
            seen = play(arguments(wf))
        claim.fact(name, seen)
        claim.true(seen != [], f"a cancelled {name} run raises CancelledError without the reason")
        claim.equal(f"the reason of a cancelled {name} run", seen, ["deadline"])
    claim.note("CancelledError carries the reason")


if __name__ == "__main__":
    run(__file__, main)
