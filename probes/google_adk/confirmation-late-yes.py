# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "confirmation-late-yes"
# claim = "a yes that comes after another message of the user does not run the tool"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools.tool_confirmation",
# ]
# timeout = 30
# ///
"""The user answers the question by a message, "leave it", and the agent says that it does. Then the yes arrives, from a
form that was still open. A question that never expires would act on a word that was taken back.

The same yes without the message must run the tool. Whether the late yes reaches the caller as an error is a fact.
"""

from __future__ import annotations

from typing import Any

from _confirming import Remover, answer_to, resumable_apps
from _kit import Bench, Claim, call, llm, play, run, stub


def answered(message: str, resumable: bool = False) -> dict[str, Any]:
    remover = Remover()
    model = stub(call("remove"), "as you like", "done")
    bench = Bench(llm("agent", model, tools=[remover.switched()]), resumable=resumable)
    raised = None

    async def scene() -> None:
        nonlocal raised
        events = await bench.turn(bound=50)
        if message:
            await bench.turn(message, bound=50)
        try:
            await bench.turn(answer_to(events, True), bound=50)
        except Exception as error:
            raised = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:100]}"

    play(scene())
    return {"tool_runs": len(remover.ran), "model_calls": len(model.requests), "raised": raised}


def main(claim: Claim) -> None:
    if resumable_apps():
        try:
            claim.fact("late_in_a_resumable_app", answered("leave it", resumable=True))
        except Exception as error:
            claim.fact("late_in_a_resumable_app", f"raised {type(error).__name__}")
    with claim.attempt("answering"):
        in_time, late = answered(""), answered("leave it")
    claim.fact("in_time", in_time)
    claim.fact("late", late)
    claim.equal("runs of the tool after a yes in time", in_time["tool_runs"], 1)
    # The engine looks for the question in the whole session, and knows no time after which it is void.
    claim.equal("runs of the tool after a late yes", late["tool_runs"], 0)
    claim.note("a yes in time runs the tool, a late one does not")


if __name__ == "__main__":
    run(__file__, main)
