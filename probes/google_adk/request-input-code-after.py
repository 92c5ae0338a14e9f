# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "request-input-code-after"
# claim = "code after a RequestInput in a generator node does not run before the answer"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.events.request_input:RequestInput",
# ]
# timeout = 60
# ///
"""The node yields its question, and has a line after it. A reader takes the ``yield`` for the place at which the node
waits, so what that line does must not be done before somebody has answered.

Whether the line runs after the answer is a fact, and so is what becomes of a node that is run again on resume.
"""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, graph, plain, play, rerunning, run


def trace_of(wrap: Any) -> dict[str, list]:
    from google.adk.events.request_input import RequestInput

    trace: list = []

    async def ask():
        trace.append("before the question")
        yield RequestInput(interrupt_id="ask", message="go on?")
        trace.append("after the question")

    def publish(node_input):
        trace.append(f"publish {plain(node_input)}")

    bench = Bench(graph(("START", wrap(ask), publish)))
    seen: dict[str, list] = {}

    async def scene() -> None:
        events = await bench.turn(bound=60)
        seen["at_the_pause"] = list(trace)
        trace.clear()
        # A node that is run again asks again, for this one does not look for an answer.
        await bench.answer(events, "yes", bound=60)
        seen["by_the_answer"] = list(trace)

    play(scene(), seconds=50)
    return seen


def main(claim: Claim) -> None:
    try:
        claim.fact("a_node_that_is_run_again_on_resume", trace_of(rerunning))
    except Exception as error:
        claim.fact("a_node_that_is_run_again_on_resume", f"raised {type(error).__name__}")
    with claim.attempt("pausing in a generator node"):
        seen = trace_of(lambda function: function)
    claim.fact("seen", seen)
    # The engine runs the generator to its end, and looks for questions among all that it gave.
    claim.equal("lines of the node that ran before the answer", seen["at_the_pause"], ["before the question"])
    claim.note("the line after the question had not run at the pause")


if __name__ == "__main__":
    run(__file__, main)
