# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "resume-any-point"
# claim = "a run goes on to the same end from every snapshot that it saved"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The README: "snapshot and replay any run from any point". A diamond at capacity 2, each of whose branches has two
nodes; each snapshot that the run saved is given to a run of its own, which must end with the same results and not
run again what the snapshot holds as completed. Once with nobody listening to events, once with a listener that
still has the end of one node in hand when the other branch saves.

With such a listener this is false from 0.4 on: a node is marked completed before its event is sent and its
successors are noted after (Scheduler._execute_node), so a snapshot that another branch saves in between holds a
completed node whose successors nobody will start.
"""

from __future__ import annotations

import asyncio
import json

from _kit import Bench, Claim, JsonStore, aggregate, graph, play, run, said, until

WANTED = {"src": "src", "a": "a1", "a2": "a2", "b": "b1", "b2": "b2", "join": "a2+b2", "end": "end"}


def bench_with(store, slow=False):
    """Return a bench for the diamond; slow: the first branch ends while a listener still has b's completion."""
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
    """Return how many snapshots there were, and how the runs from them ended where not as they should."""
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
            faults.append("ended without an error, but not with all results")
    return len(store.saved), faults


def main(claim: Claim) -> None:
    seen = {}
    for name, slow in (("nobody listening", False), ("a listener that takes its time", True)):
        with claim.attempt(f"running with {name}"):
            count, faults = play(scene(slow))
        claim.true(count >= len(WANTED), f"with {name} only {count} snapshots were saved")
        seen[name] = faults
    for name, faults in seen.items():
        claim.true(not faults, f"with {name} a run from a snapshot {''.join(sorted(set(faults))[:1])}")
    claim.note("every snapshot led to the same results, with and without a slow listener")


if __name__ == "__main__":
    run(__file__, main)
