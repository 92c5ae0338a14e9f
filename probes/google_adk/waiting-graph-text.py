# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "waiting-graph-text"
# claim = "a text message to a graph that waits for human input does not start the graph again"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.events.request_input:RequestInput",
# ]
# timeout = 60
# ///
"""A user who is asked by a form types into the chat instead. The nodes before the question must not run a second time:
they have called tools, and written. A graph that says that it still waits, one that takes the text for the answer, and
one that raises are all as good.

Whether the question can still be answered after that is a fact, and so is what a resumable app makes of the text, with
the id of the run and without.
"""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, graph, play, run


def texted(resumable: bool = False, named: bool = False) -> dict[str, Any]:
    from google.adk.events.request_input import RequestInput

    trace: list = []

    def entry():
        trace.append("entry")
        return "draft"

    def ask():
        return RequestInput(interrupt_id="ask", message="go on?")

    def publish(node_input):
        trace.append(f"publish {node_input}")

    bench = Bench(graph(("START", entry, ask, publish)), resumable=resumable)
    seen: dict[str, Any] = {}

    async def scene() -> None:
        events = await bench.turn(bound=60)
        seen["before"] = list(trace)
        trace.clear()
        more = {"invocation_id": events[-1].invocation_id} if named else {}
        try:
            await bench.turn("what about it?", bound=60, **more)
        except Exception as error:
            seen["raised"] = type(error).__name__
        seen["by_the_text"] = list(trace)
        trace.clear()
        try:
            await bench.answer(events, "yes", bound=60)
        except Exception as error:
            trace.append(f"raised {type(error).__name__}")
        seen["by_the_answer_after_it"] = list(trace)

    play(scene(), seconds=50)
    return seen


def as_fact(claim: Claim, name: str, **how: bool) -> None:
    try:
        claim.fact(name, texted(**how))
    except Exception as error:
        claim.fact(name, f"raised {type(error).__name__}")


def main(claim: Claim) -> None:
    as_fact(claim, "resumable_app", resumable=True)
    as_fact(claim, "resumable_app_and_the_run_named", resumable=True, named=True)
    with claim.attempt("sending a text to a graph that waits"):
        seen = texted()
    claim.fact("seen", seen)
    claim.equal("nodes that ran before the question", seen["before"], ["entry"])
    # A text has no id of a question in it, and begins a run of its own.
    claim.true("entry" not in seen["by_the_text"], f"the text started the graph again: {seen['by_the_text']} ran")
    claim.note(f"the text ran {seen['by_the_text'] or 'nothing'}")


if __name__ == "__main__":
    run(__file__, main)
