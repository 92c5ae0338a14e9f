# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "temp-counter-pause"
# claim = "a counter under temp: in session state survives a pause for human input within a turn"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.events.request_input:RequestInput",
# ]
# timeout = 90
# ///
"""One turn of a loop that only its counter ends, at 3, pauses in pass 2 and is resumed. The probe records the counter
that the router sets in each pass. A lost counter starts again at 1.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event
    from google.adk.events.request_input import RequestInput

    counted = []

    def generator(ctx):
        return ctx.state.get("temp:passes", 0)

    def ask():
        if len(counted) == 1 and not answered:
            return RequestInput(interrupt_id="ask-1", message="go on?")
        return "nothing to ask"

    def router(ctx):
        ctx.state["temp:passes"] = ctx.state.get("temp:passes", 0) + 1
        counted.append(ctx.state["temp:passes"])
        return Event(route="PASS" if counted[-1] >= 3 else "REVISE", output="draft")

    def publish():
        pass

    answered = []
    bench = Bench(graph(("START", generator, ask, router), (router, {"REVISE": generator, "PASS": publish})))

    async def scene():
        events = await bench.turn(bound=80)
        claim.equal("the counter before the pause", counted, [1])
        answered.append(True)
        await bench.answer(events, "go on", bound=80)

    with claim.attempt("running"):
        play(scene(), seconds=50)
    # Keys under temp: are dropped from the stored events, and a resumed run is rebuilt from those.
    claim.fact("counter_by_pass", counted)
    claim.equal("the counter that the router set in each pass, with a pause in pass 2", counted, [1, 2, 3])
    claim.note("the counter went from 1 to 3 across the pause")


if __name__ == "__main__":
    run(__file__, main)
