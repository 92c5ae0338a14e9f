# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "resume-any-point"
# claim = "from every snapshot that it saved, a run continues to the same end"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The README says: "snapshot and replay any run from any point". The graph is a diamond at capacity 2, with two nodes
in each branch. Each snapshot that the run saves is given to a separate run. That run must end with the same results,
and must not run again what the snapshot stores as completed. The probe tries it without a listener, and with a listener
that is still handling the end of one node when the other branch saves.

With such a listener, the claim is false from 0.4 on: a node is marked as completed before its event is sent, and its
successors are recorded after that (Scheduler._execute_node). A snapshot that another branch saves in between has a
completed node whose successors nothing will start.
"""

from __future__ import annotations

import asyncio
import json

from _kit import Bench, Claim, JsonStore, aggregate, graph, play, run, said, until

WANTED = {"src": "src", "a": "a1", "a2": "a2", "b": "b1", "b2": "b2", "join": "a2+b2", "end": "end"}


def bench_with(store, slow=False):
    """Return a bench for the diamond. If slow, the first branch ends while a listener handles b's completion."""
    heard = asyncio.Event()

    async def a(_):
        if slow:
            await until(heard.is_set)
        return "a1"

    async def listen(event):
        if (event.node_id, event.type.name) == ("b", "NODE_COMPLETED"):
            heard.set()
            before = len(store.saved)
            await until(lambda: len(store.saved) > before)

    bench = Bench(2, store=store, listening=False, a=a, b=lambda _: "b1", join="+".join)
    if slow:
        bench.bus.subscribe(None, listen)
    return bench


async def scene(slow):
    """Return the number of snapshots, and the faults of the runs that continue from them."""
    wf = graph("src>a src>b a>a2 b>b2 a2>join b2>join join>end", aggregate("join"))
    store = JsonStore()
    results = await bench_with(store, slow).run(wf)
    faults = [] if results == WANTED else [f"the run itself returned {results}"]
    for graph_id, text in store.saved:
        bench = bench_with(JsonStore({graph_id: text}))
        results, error = await bench.tried(wf)
        again = set(bench.order) & set(json.loads(text)["completed_nodes"])
        if error is not None:
            faults.append(said(error))
        elif again or len(bench.order) != len(set(bench.order)):
            faults.append("ran a finished node again")
        elif results != WANTED:
            faults.append("ended without an error, but without all results")
    return len(store.saved), faults


def main(claim: Claim) -> None:
    seen = {}
    for name, slow in (("no listener", False), ("a slow listener", True)):
        with claim.attempt(f"running with {name}"):
            count, faults = play(scene(slow))
        claim.true(count >= len(WANTED), f"with {name} only {count} snapshots were saved")
        seen[name] = faults
    for name, faults in seen.items():
        claim.true(not faults, f"with {name} a run from a snapshot {''.join(sorted(set(faults))[:1])}")
    claim.note("every snapshot led to the same results, with and without a slow listener")


if __name__ == "__main__":
    run(__file__, main)
