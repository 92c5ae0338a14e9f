# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "human-input-in-loop"
# claim = "a pause in a router loop and in a dynamic loop resumes in the same pass, and so does a second one"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.workflow:FunctionNode",
#   "google.adk.events.request_input:RequestInput",
# ]
# timeout = 120
# ///
"""The pauses are for human input.

Each loop makes three passes and pauses on the second and on the third, in one session, over two turns. Every
run of the generator is recorded: a loop that starts over, repeats the paused pass's draft or skips a pass
would show, and so would an answer that reaches the wrong question.
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

    # Releases that index events over all turns take an earlier turn's completions for this one's when they resume,
    # and call it a divergence.
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
    claim.note("two pauses in each of two turns, in either loop, resumed in the same pass")


if __name__ == "__main__":
    run(__file__, main)
