# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "confirmation-no-switch"
# claim = "a no keeps a tool with require_confirmation=True from running, and the model reads that it was refused"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools.tool_confirmation",
# ]
# timeout = 30
# ///
"""The same scene with a yes must run the tool, so that a tool that never runs is not taken for one that was refused."""

from __future__ import annotations

from typing import Any

from _confirming import Remover, answer_to
from _kit import Bench, Claim, call, llm, play, run, stub


def answered(confirmed: bool) -> dict[str, Any]:
    remover = Remover()
    model = stub(call("remove"), "a comment", "done")
    bench = Bench(llm("agent", model, tools=[remover.switched()]))

    async def scene() -> None:
        events = await bench.turn(bound=50)
        await bench.turn(answer_to(events, confirmed), bound=50)

    play(scene())
    return {
        "tool_runs": len(remover.ran),
        "model_calls": len(model.requests),
        "read": model.requests[-1]["contents"][-1],
    }


def main(claim: Claim) -> None:
    with claim.attempt("answering"):
        yes, no = answered(True), answered(False)
    claim.fact("yes", yes)
    claim.fact("no", no)
    claim.equal("runs of the tool after a yes", yes["tool_runs"], 1)
    claim.equal("runs of the tool after a no", no["tool_runs"], 0)
    claim.true("rejected" in no["read"], f"the model read {no['read']!r} after a no")
    claim.note("one run after a yes, none after a no, and the model reads the refusal")


if __name__ == "__main__":
    run(__file__, main)
