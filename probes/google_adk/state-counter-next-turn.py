# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "state-counter-next-turn"
# claim = "a pass counter in session state, never reset, gives the next turn a full count of passes"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""One session has two turns of a loop that only its counter ends, at 3. Both must make 3 passes."""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event

    trace = []

    def generator():
        trace.append("generator")

    def router(ctx):
        ctx.state["passes"] = ctx.state.get("passes", 0) + 1
        return Event(route="PASS" if ctx.state["passes"] >= 3 else "REVISE", output="draft")

    def publish():
        trace.append("publish")

    bench = Bench(graph(("START", generator, router), (router, {"REVISE": generator, "PASS": publish})))
    counts = []

    async def scene():
        for turn in ("first", "second"):
            trace.clear()
            await bench.turn(turn, bound=80)
            counts.append(trace.count("generator"))
            claim.equal(f"runs of the node after the loop in the {turn} turn", trace.count("publish"), 1)

    with claim.attempt("running"):
        play(scene())
    # Session state outlives the turn, so the counter continues from its last value.
    claim.fact("passes_by_turn", counts)
    claim.equal("passes of the first and of the second turn", counts, [3, 3])
    claim.note("3 passes in each of two turns")


if __name__ == "__main__":
    run(__file__, main)
