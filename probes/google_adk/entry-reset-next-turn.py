# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "entry-reset-next-turn"
# claim = "an entry node that resets the counter gives each turn a full count of passes, also after a pause"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.events.request_input:RequestInput",
# ]
# timeout = 90
# ///
"""The counter is in session state, and the pause is for human input.

One session has three turns. The second one pauses in pass 2 and is resumed. Each turn must make 3 passes in total. An
entry node that runs again on resume makes more, and a counter that is lost or kept makes a difference too.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event
    from google.adk.events.request_input import RequestInput

    trace, pausing = [], []

    def entry(ctx):
        trace.append("entry")
        ctx.state["passes"] = 0

    def generator():
        trace.append("generator")
        # Without an output, a resume would run it again: see silent-node-resume.
        return "draft"

    def ask(ctx):
        if pausing and ctx.state["passes"] == 1:
            return RequestInput(interrupt_id=f"ask-{len(trace)}", message="go on?")
        return "nothing to ask"

    def router(ctx):
        ctx.state["passes"] += 1
        return Event(route="PASS" if ctx.state["passes"] >= 3 else "REVISE", output="draft")

    def publish():
        trace.append("publish")

    wf = graph(("START", entry, generator, ask, router), (router, {"REVISE": generator, "PASS": publish}))
    bench = Bench(wf)
    turns = []

    async def scene():
        for paused in (False, True, False):
            trace.clear()
            pausing[:] = [True] if paused else []
            events = await bench.turn(bound=80)
            if paused:
                claim.equal("node runs before the pause", trace, ["entry", "generator", "generator"])
                pausing.clear()
                await bench.answer(events, "go on", bound=80)
            turns.append(list(trace))

    # Some releases index the events of all turns. When they resume, they mistake an earlier turn's completions for this
    # turn's, and report a divergence.
    with claim.attempt("running"):
        play(scene(), seconds=50)
    claim.fact("node_runs_by_turn", turns)
    full = ["entry", "generator", "generator", "generator", "publish"]
    claim.equal("node runs of three turns, the second of them paused", turns, [full] * 3)
    claim.note("3 passes in each of three turns, of which the second paused in pass 2")


if __name__ == "__main__":
    run(__file__, main)
