# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "tool-confirmation-pauses"
# claim = "a before_tool_callback that asks for confirmation pauses the run; a yes runs the tool once, a no does not"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools.tool_confirmation",
# ]
# timeout = 30
# ///
"""The callback asks, and returns a result in place of the tool's until there is a yes. The pause is an open call of
``adk_request_confirmation``. The model is not called again before the host answers in the same session.

After the yes, the model must read the tool's result. After the no, it must read the callback's result.
"""

# No postponed annotations here, because the first releases do not evaluate the annotations of a tool's parameters.
from _kit import Bench, Claim, call, fed, llm, open_call, play, run, stub

REMOVED = '<response remove {"result": "removed a.txt"}>'
REFUSED = '<response remove {"error": "refused"}>'


def asked_and_told(confirmed: bool, skip_summarization: bool = True, then=()) -> dict:
    from google.genai import types

    ran = []

    def remove(path: str) -> str:
        """Removes a file."""
        ran.append(path)
        return f"removed {path}"

    def look() -> str:
        """Looks."""
        return "looked"

    def guard(tool, args, tool_context):  # noqa: ARG001
        if tool.name != "remove":
            return None
        answer = tool_context.tool_confirmation
        if answer is None:
            tool_context.request_confirmation(hint="remove a.txt?")
            tool_context.actions.skip_summarization = skip_summarization
            return {"error": "waiting for a yes"}
        return None if answer.confirmed else {"error": "refused"}

    model = stub(call("remove", path="a.txt"), *then, "done")
    bench = Bench(llm("agent", model, tools=[remove, look], before_tool_callback=guard))

    async def scene() -> dict:
        events = await bench.turn(bound=50)
        asked = open_call(events)
        seen = {
            "asked": asked and asked.name,
            "model_calls_at_the_pause": len(model.requests),
            "tool_runs_at_the_pause": len(ran),
        }
        if asked is None:
            return seen
        reply = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": confirmed})
        message = types.Content(role="user", parts=[types.Part(function_response=reply)])
        await bench.turn(message, bound=50)
        seen["model_calls_in_all"] = len(model.requests)
        seen["tool_runs_in_all"] = len(ran)
        seen["read"] = fed(model.requests[-1], REMOVED, REFUSED)
        return seen

    return play(scene())


def expected(tool_runs: int, read: str) -> dict:
    return {
        "asked": "adk_request_confirmation",
        "model_calls_at_the_pause": 1,
        "tool_runs_at_the_pause": 0,
        "model_calls_in_all": 2,
        "tool_runs_in_all": tool_runs,
        "read": [read],
    }


def as_fact(claim: Claim, name: str, **how) -> None:
    try:
        claim.fact(name, asked_and_told(True, **how))
    except Exception as error:
        claim.fact(name, f"raised {type(error).__name__}")


def main(claim: Claim) -> None:
    with claim.attempt("a yes"):
        yes = asked_and_told(True)
    claim.fact("yes", yes)
    with claim.attempt("a no"):
        no = asked_and_told(False)
    claim.fact("no", no)
    # The callback's result is a result like any other, and the model comments on it unless that is skipped. Some
    # releases check the answer again before every later model call, and no longer recognize it.
    as_fact(claim, "yes_without_skip_summarization", skip_summarization=False)
    as_fact(claim, "yes_and_then_another_tool", then=[call("look")])
    claim.equal("the pause, and the result of a yes", yes, expected(1, REMOVED))
    claim.equal("the pause, and the result of a no", no, expected(0, REFUSED))
    claim.note("paused after 1 model call; the tool ran once after a yes, never after a no")


if __name__ == "__main__":
    run(__file__, main)
