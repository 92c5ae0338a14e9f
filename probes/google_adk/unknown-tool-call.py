# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "unknown-tool-call"
# claim = "a model that calls a tool that does not exist reads an error as the result, and the run continues"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""Small models sometimes misspell a tool. A model that reads an error corrects itself. If the engine raises instead,
the exception ends the run, and everything that the run did so far is lost.

If the release has ``on_tool_error_callback``, a fact records its effect.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, llm, play, run, stub


def misspelled(**fields) -> dict:
    def look() -> str:
        """Looks."""
        return "looked"

    model = stub(call("lok"), call("look"), "done")
    seen: dict = {}
    try:
        play(Bench(llm("agent", model, tools=[look], **fields)).turn(bound=50))
    except Exception as error:
        seen["raised"] = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    # The engine's advice is long, and differs between releases.
    seen["read"] = [request["contents"][-1][:80] for request in model.requests[1:]]
    seen["model_calls"] = len(model.requests)
    return seen


def main(claim: Claim) -> None:
    from google.adk.agents import LlmAgent

    def told(tool, args, tool_context, error):  # noqa: ARG001
        return {"error": f"there is no tool {tool.name}"}

    if "on_tool_error_callback" in LlmAgent.model_fields:
        claim.fact("with_an_error_callback", misspelled(on_tool_error_callback=told))
    seen = misspelled()
    claim.fact("seen", seen)
    # Early releases look up the name before they call anything, and raise a ValueError. Only an error callback can turn
    # it into a result.
    claim.true("raised" not in seen, f"the run ended with {seen.get('raised')}")
    claim.equal("model calls", seen["model_calls"], 3)
    claim.true(seen["read"][0].startswith("user: <response lok "), f"the model read {seen['read'][0]!r}")
    claim.note("the model reads an error, and the run continues")


if __name__ == "__main__":
    run(__file__, main)
