# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "silent-node-resume"
# claim = "a function node that finished without an output does not run again when its workflow resumes after a pause"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.events.request_input:RequestInput",
# ]
# timeout = 90
# ///
"""Two nodes run before the pause, one with an output and one without. Neither may run again on resume, because its side
effects, such as a counter, would happen twice.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


def main(claim: Claim) -> None:
    from google.adk.events.request_input import RequestInput

    trace = []

    def speaking():
        trace.append("speaking")
        return "an output"

    def silent():
        trace.append("silent")

    def ask():
        return RequestInput(interrupt_id="ask", message="go on?")

    def after():
        trace.append("after")

    bench = Bench(graph(("START", speaking, silent, ask, after)))

    async def scene():
        events = await bench.turn()
        claim.equal("node runs before the pause", trace, ["speaking", "silent"])
        await bench.answer(events, "go on")

    with claim.attempt("running"):
        play(scene(), seconds=50)
    # Resuming replays what the session's events record, and a node without an output left no event to replay.
    claim.fact("node_runs", trace)
    claim.equal("node runs", trace, ["speaking", "silent", "after"])
    claim.note("neither node ran again")


if __name__ == "__main__":
    run(__file__, main)
