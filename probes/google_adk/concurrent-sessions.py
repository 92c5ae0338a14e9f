# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "concurrent-sessions"
# claim = "four sessions that run one workflow object at the same time each get their own full count of passes"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The counter is in session state, and an entry node resets it.

Every node yields to the others, and the probe checks that the runs overlap. A counter, an input or a node status that
leaks from one session into another changes a count or a draft.
"""

from __future__ import annotations

import asyncio

from _kit import Bench, Claim, graph, plain, play, run

SESSIONS = ("a", "b", "c", "d")


def main(claim: Claim) -> None:
    from google.adk.events import Event

    trace = []

    async def entry(ctx, node_input):
        ctx.state["passes"] = 0
        await asyncio.sleep(0)
        return plain(node_input)

    async def generator(node_input):
        trace.append(node_input)
        await asyncio.sleep(0)
        return node_input

    async def router(ctx, node_input):
        ctx.state["passes"] += 1
        await asyncio.sleep(0)
        return Event(route="PASS" if ctx.state["passes"] >= 3 else "REVISE", output=node_input)

    def publish(node_input):
        return f"published {node_input}"

    wf = graph(("START", entry, generator, router), (router, {"REVISE": generator, "PASS": publish}))
    bench = Bench(wf)

    async def scene():
        for name in SESSIONS:
            await bench.session(name)
        turns = await asyncio.gather(*[bench.turn(f"of {name}", name, bound=80) for name in SESSIONS])
        states = [(await bench.state(name)).get("passes") for name in SESSIONS]
        return [[event.output for event in events if event.output is not None][-1] for events in turns], states

    with claim.attempt("running"):
        last, states = play(scene())
    claim.fact("passes", {name: trace.count(f"of {name}") for name in SESSIONS})
    if trace == sorted(trace):
        raise RuntimeError("the runs did not overlap, so the probe cannot test the claim")
    claim.equal("passes by session", [trace.count(f"of {name}") for name in SESSIONS], [3] * 4)
    claim.equal("the counters in the sessions", states, [3] * 4)
    claim.equal("the last outputs", last, [f"published of {name}" for name in SESSIONS])
    claim.note("3 passes in each of four sessions that run at the same time")


if __name__ == "__main__":
    run(__file__, main)
