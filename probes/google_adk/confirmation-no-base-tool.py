# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "confirmation-no-base-tool"
# claim = "a no keeps a BaseTool subclass that asks by itself from being called again"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools.tool_confirmation",
# ]
# timeout = 30
# ///
"""The subclass asks where there is no answer yet, and works where there is one. It must be called again after a yes and
not after a no: where the engine calls it after a no, each such tool has to read the answer, and one that forgets
works against the user's word.

What the tool could read of the answer is a fact, and so is what comes of a function that asks in its body.
"""

from __future__ import annotations

from typing import Any

from _confirming import Remover, answer_to
from _kit import Bench, Claim, call, llm, play, run, stub


def answered(confirmed: bool, kind: str) -> dict[str, Any]:
    remover = Remover()
    model = stub(call("remove"), "a comment", "done")
    bench = Bench(llm("agent", model, tools=[remover.subclass() if kind == "subclass" else remover.asking()]))

    async def scene() -> None:
        events = await bench.turn(bound=50)
        await bench.turn(answer_to(events, confirmed), bound=50)

    play(scene())
    return {"tool_runs": len(remover.ran), "answer_read_by_call": remover.read}


def main(claim: Claim) -> None:
    with claim.attempt("answering"):
        function_no = answered(False, "function")
        yes, no = answered(True, "subclass"), answered(False, "subclass")
    claim.fact("a_function_that_asks_in_its_body", function_no)
    claim.fact("yes", yes)
    claim.fact("no", no)
    claim.equal("runs of the tool after a yes", yes["tool_runs"], 1)
    # The engine hands the answer on and leaves it to the tool; only FunctionTool looks at it, for its own switch.
    claim.equal("runs of the tool after a no", no["tool_runs"], 0)
    claim.note("one run after a yes, and no call after a no")


if __name__ == "__main__":
    run(__file__, main)
