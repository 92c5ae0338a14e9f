# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "tool-confirmation-in-cycle"
# claim = "a tool that waits for confirmation stops a cyclic graph in pass 2, and that pass continues after a yes"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.tools.tool_confirmation",
# ]
# timeout = 60
# ///
"""The generator calls the tool in pass 2 of 3, after a node that is not in the cycle. After the yes, the tool must run
once, the generator must finish its second draft, and then the router must run. A graph that starts over enters again. A
graph that treats the answer as a new question makes a draft without the tool.

A fact records the same in a resumable app.
"""

from __future__ import annotations

from _kit import Bench, Claim, Refuted, call, graph, llm, open_call, plain, play, run, stub

EXPECTED = ["entry", "route draft 1", "|", "remove", "route draft 2", "route draft 3", "publish"]


def guard(tool, args, tool_context):  # noqa: ARG001
    answer = tool_context.tool_confirmation
    if answer is None:
        tool_context.request_confirmation(hint="remove?")
        tool_context.actions.skip_summarization = True
        return {"error": "waiting for a yes"}
    return None if answer.confirmed else {"error": "refused"}


def cycle(trace: list, model):
    from google.adk.events import Event

    def remove() -> str:
        """Removes a file."""
        trace.append("remove")
        return "removed"

    def entry():
        trace.append("entry")
        return "write"

    def router(node_input):
        trace.append(f"route {plain(node_input)}")
        passes = sum(line.startswith("route") for line in trace)
        return Event(route="PASS" if passes >= 3 else "REVISE", output="again")

    def publish():
        trace.append("publish")

    generator = llm("generator", model, tools=[remove], before_tool_callback=guard)
    return graph(("START", entry, generator, router), (router, {"REVISE": generator, "PASS": publish}))


def seen_in(resumable: bool) -> dict:
    from google.genai import types

    trace: list = []
    model = stub("draft 1", call("remove"), "draft 2", "draft 3")
    bench = Bench(cycle(trace, model), resumable=resumable)
    seen: dict = {"trace": trace}

    async def scene() -> None:
        events = await bench.turn(bound=80)
        seen["model_calls_at_the_pause"] = len(model.requests)
        asked = open_call(events)
        if asked is None:
            raise Refuted(f"the run did not pause for confirmation: {trace}")
        trace.append("|")
        reply = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": True})
        message = types.Content(role="user", parts=[types.Part(function_response=reply)])
        more = {"invocation_id": events[-1].invocation_id} if resumable else {}
        await bench.turn(message, bound=80, **more)

    play(scene())
    seen["model_calls_in_all"] = len(model.requests)
    return seen


def main(claim: Claim) -> None:
    try:
        claim.fact("resumable_app", seen_in(resumable=True))
    except Exception as error:
        claim.fact("resumable_app", f"raised {type(error).__name__}")
    with claim.attempt("pausing and continuing"):
        seen = seen_in(resumable=False)
    claim.fact("app", seen)
    # On resume, some releases add the node's input to the session again. The engine looks for the answer only in the
    # user's last event and does not find it, so the model is called again and the tool never runs.
    claim.equal("what ran", seen["trace"], EXPECTED)
    calls = [seen["model_calls_at_the_pause"], seen["model_calls_in_all"]]
    claim.equal("model calls at the pause and in total", calls, [2, 4])
    claim.note("paused in pass 2, and continued in pass 2 after the yes")


if __name__ == "__main__":
    run(__file__, main)
