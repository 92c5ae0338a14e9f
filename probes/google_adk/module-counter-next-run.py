# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "module-counter-next-run"
# claim = "a module-level counter gives the next run in the same process a full count of passes"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The loop runs twice, in two sessions, and only a module-level counter ends it, at 3. Nothing resets the counter. The
claim holds if both runs make 3 passes.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run

PASSES = 0


def main(claim: Claim) -> None:
    from google.adk.events import Event

    trace = []

    def generator():
        trace.append("generator")

    def router():
        global PASSES
        PASSES += 1
        return Event(route="PASS" if PASSES >= 3 else "REVISE", output="draft")

    def publish():
        trace.append("publish")

    bench = Bench(graph(("START", generator, router), (router, {"REVISE": generator, "PASS": publish})))
    counts = []

    async def scene():
        for session in ("first", "second"):
            trace.clear()
            await bench.turn(name=session, bound=80)
            counts.append(trace.count("generator"))

    with claim.attempt("running"):
        play(scene())
    claim.fact("passes_by_run", counts)
    claim.equal("passes of the first and of the second run", counts, [3, 3])
    claim.note("3 passes in each of two runs")


if __name__ == "__main__":
    run(__file__, main)
