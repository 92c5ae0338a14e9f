# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "bad-structured-answer-by-tool"
# claim = "an agent that answers by set_model_response against its schema reads why, and may answer again"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools.set_model_response_tool:SetModelResponseTool",
# ]
# timeout = 30
# ///
"""An agent with tools beside its output schema answers by a tool of the engine's own. Its first call has a wrong type,
or lacks a field; the second is good. The model must read an error as the result, and the good answer must arrive.
"""

from __future__ import annotations

from typing import Any

from _kit import Absent, Bench, Claim, Refuted, call, critic_schema, llm, plain, play, run, stub

NAME = "set_model_response"
GOOD = {"is_valid": False, "feedback": "too long"}
BAD = {"a_wrong_type": {"is_valid": "perhaps", "feedback": "too long"}, "a_field_missing": {"is_valid": False}}


def mistaken(bad: dict[str, Any]) -> dict[str, Any]:
    def look() -> str:
        """Looks."""
        return "looked"

    model = stub(call(NAME, **bad), call(NAME, **GOOD), "done")
    critic = llm("critic", model, output_schema=critic_schema(), output_key="verdict", tools=[look])
    bench = Bench(critic)
    seen: dict[str, Any] = {"raised": None}

    async def scene() -> Any:
        await bench.turn(bound=50)
        return (await bench.state()).get("verdict")

    try:
        seen["in_session"] = plain(play(scene()))
    except Refuted:
        raise
    except Exception as error:
        seen["raised"] = type(error).__name__
    if NAME not in model.requests[0]["tools"]:
        raise Absent(f"this release gives the model no {NAME}")
    seen["model_calls"] = len(model.requests)
    # Pydantic's words differ from release to release.
    seen["read"] = [request["contents"][-1][:45] for request in model.requests[1:]]
    return seen


def main(claim: Claim) -> None:
    seen = {name: mistaken(bad) for name, bad in BAD.items()}
    claim.fact("seen", seen)
    raised = {name: item["raised"] for name, item in seen.items() if item["raised"]}
    claim.true(not raised, f"the run ended with {raised}")
    claim.equal("the verdict in the session", [item["in_session"] for item in seen.values()], [GOOD] * len(BAD))
    claim.equal("calls of the model", [item["model_calls"] for item in seen.values()], [2] * len(BAD))
    claim.note("the model reads an error, and its second answer arrives")


if __name__ == "__main__":
    run(__file__, main)
