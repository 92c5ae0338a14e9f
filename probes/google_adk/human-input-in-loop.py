# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "human-input-in-loop"
# claim = "in a router loop and in a dynamic loop, a first and a second pause each resume in the same pass"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.workflow:FunctionNode",
#   "google.adk.events.request_input:RequestInput",
# ]
# timeout = 120
# ///
"""The pauses are for human input.

Each loop makes three passes and pauses in the second and in the third, in each of two turns of one session. Every run
of the generator is recorded. The probe fails if a loop starts over, repeats the draft of the paused pass or skips a
pass, or if an answer reaches the wrong question.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, rerunning, run


def router_loop(trace: list):
    from google.adk.events import Event
    from google.adk.events.request_input import RequestInput

    def entry(ctx):
        ctx.state["passes"] = 0
        return "go"

    def generator(ctx):
        trace.append(f"draft {ctx.state['passes'] + 1}")
        return trace[-1]

    def ask(ctx, node_input):
        if ctx.state["passes"]:
            return RequestInput(interrupt_id=f"{node_input} of {len(trace)}", message=node_input)
        return "first"

    def router(ctx, node_input):
        trace.append(f"answer {node_input}")
        ctx.state["passes"] += 1
        return Event(route="PASS" if ctx.state["passes"] >= 3 else "REVISE", output="again")

    def publish():
        trace.append("publish")

    return graph(("START", entry, generator, ask, router), (router, {"REVISE": generator, "PASS": publish}))


def dynamic_loop(trace: list):
    from google.adk.events.request_input import RequestInput

    def generator(node_input):
        trace.append(f"draft {node_input}")
        return trace[-1]

    def ask(node_input):
        return RequestInput(interrupt_id=f"{node_input} of {len(trace)}", message=node_input)

    def note(node_input):
        trace.append(f"answer {node_input}")
        return node_input

    async def loop(ctx):
        for number in (1, 2, 3):
            draft = await ctx.run_node(generator, node_input=number)
            answer = await ctx.run_node(ask, node_input=draft) if number > 1 else "first"
            await ctx.run_node(note, node_input=answer)
        return draft

    def publish():
        trace.append("publish")

    return graph(("START", rerunning(loop), publish))


EXPECTED = ["draft 1", "answer first", "draft 2", "|", "answer a2", "draft 3", "|", "answer a3", "publish"]


def turns(claim: Claim, name: str, build) -> list:
    trace: list = []
    bench = Bench(build(trace))
    seen = []

    async def scene():
        for _ in range(2):
            trace.clear()
            events = await bench.turn(bound=100)
            for reply in ("a2", "a3"):
                trace.append("|")
                events = await bench.answer(events, reply, bound=100)
            seen.append(list(trace))

    # Some releases index the events of all turns. When they resume, they mistake an earlier turn's completions for this
    # turn's, and report a divergence.
    try:
        with claim.attempt(f"pausing in a {name} loop"):
            play(scene(), seconds=50)
    finally:
        claim.fact(f"{name}_loop", seen or trace)
    return seen


def main(claim: Claim) -> None:
    for name, build in (("router", router_loop), ("dynamic", dynamic_loop)):
        seen = turns(claim, name, build)
        claim.equal(f"node runs of the {name} loop in the first turn", seen[0], EXPECTED)
        claim.equal(f"node runs of the {name} loop in the second turn", seen[1], EXPECTED)
    claim.note("in both loops, two pauses in each of two turns resumed in the same pass")


if __name__ == "__main__":
    run(__file__, main)
