# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "confirmation-twice-runs-once"
# claim = "a confirmation that arrives twice, in one message or in two, runs the tool once"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools.tool_confirmation",
# ]
# timeout = 30
# ///
"""A client that retries sends the same answer again, in a message of its own after the run has ended, or twice in one.
The tool has the engine's own switch. A tool that removes, pays or sends would do so twice.

What comes of a tool that asks in its body is a fact.
"""

from __future__ import annotations

from typing import Any

from _confirming import Remover, answer_to
from _kit import Bench, Claim, call, llm, play, run, stub


def answered_twice(way: str, kind: str) -> dict[str, Any]:
    remover = Remover()
    tool = remover.switched() if kind == "switched" else remover.asking()
    model = stub(call("remove"), "done", "done again")
    bench = Bench(llm("agent", model, tools=[tool]))
    raised = None

    async def scene() -> None:
        events = await bench.turn(bound=50)
        if way == "in_one_message":
            await bench.turn(answer_to(events, True, times=2), bound=50)
            return
        await bench.turn(answer_to(events, True), bound=50)
        await bench.turn(answer_to(events, True), bound=50)

    try:
        play(scene())
    except Exception as error:
        if not remover.ran:
            raise
        # Refusing the second answer is as good as ignoring it.
        raised = type(error).__name__
    return {"tool_runs": len(remover.ran), "model_calls": len(model.requests), "raised": raised}


def main(claim: Claim) -> None:
    ways = ("in_two_messages", "in_one_message")
    for way in ways:
        try:
            claim.fact(f"asking_in_its_body_{way}", answered_twice(way, "asking"))
        except Exception as error:
            claim.fact(f"asking_in_its_body_{way}", f"raised {type(error).__name__}")
    with claim.attempt("answering"):
        seen = {way: answered_twice(way, "switched") for way in ways}
    claim.fact("seen", seen)
    runs = {way: item["tool_runs"] for way, item in seen.items()}
    # Releases that look for what became of an answer only after the last message of the user run the tool again for
    # every repetition.
    claim.equal("runs of the tool", runs, dict.fromkeys(ways, 1))
    claim.note("one run of the tool, whether the answer comes twice in one message or in two")


if __name__ == "__main__":
    run(__file__, main)
