# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "tool-confirmation-in-loop-agent"
# claim = "a tool that waits for confirmation stops a LoopAgent in pass 2, and that pass continues after a yes"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:SequentialAgent",
#   "google.adk.tools.tool_confirmation",
# ]
# timeout = 60
# ///
"""The actor calls the tool in pass 2 of 3. At the pause, the verifier must not have been called for pass 2. After the
yes, the tool must run once, and the actor and the verifier must finish passes 2 and 3. A run that starts over plans
again. A loop that loses its count makes an extra pass.

The app is resumable if the release has resumable apps, and the answer names the run that it belongs to. Facts record
what happens in an app that is not resumable, and with an answer that names no run.
"""

from __future__ import annotations

import importlib

from _kit import Bench, Claim, call, llm, open_call, play, run, stub

EXPECTED = {
    "at_the_pause": {"planner": 1, "actor": 2, "verifier": 1, "reporter": 0, "tool": 0},
    "in_all": {"planner": 1, "actor": 4, "verifier": 3, "reporter": 1, "tool": 1},
    "last_said": "reported",
}


def guard(tool, args, tool_context):  # noqa: ARG001
    answer = tool_context.tool_confirmation
    if answer is None:
        tool_context.request_confirmation(hint="remove?")
        tool_context.actions.skip_summarization = True
        return {"error": "waiting for a yes"}
    return None if answer.confirmed else {"error": "refused"}


def seen_in(resumable: bool, named: bool) -> dict:
    from google.adk.agents import LoopAgent, SequentialAgent
    from google.genai import types

    ran = []

    def remove() -> str:
        """Removes a file."""
        ran.append(1)
        return "removed"

    models = {
        "planner": stub("plan"),
        "actor": stub("act 1", call("remove"), "act 2", "act 3"),
        "verifier": stub("not yet"),
        "reporter": stub("reported"),
    }
    actor = llm("actor", models["actor"], tools=[remove], before_tool_callback=guard)
    planner, verifier, reporter = (llm(name, models[name]) for name in ("planner", "verifier", "reporter"))
    loop = LoopAgent(name="loop", sub_agents=[actor, verifier], max_iterations=3)
    root = SequentialAgent(name="root", sub_agents=[planner, loop, reporter])
    bench = Bench(root, resumable=resumable)

    def calls() -> dict:
        return {**{name: len(model.requests) for name, model in models.items()}, "tool": len(ran)}

    async def scene() -> dict:
        events = await bench.turn(bound=80)
        seen: dict = {"at_the_pause": calls()}
        asked = open_call(events)
        if asked is None:
            return {**seen, "asked": None}
        reply = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": True})
        message = types.Content(role="user", parts=[types.Part(function_response=reply)])
        more = {"invocation_id": asked_in(events)} if named else {}
        after = await bench.turn(message, bound=80, **more)
        said = [part.text for event in after if event.content for part in event.content.parts or [] if part.text]
        return {**seen, "in_all": calls(), "last_said": said[-1] if said else "nothing"}

    return play(scene())


def asked_in(events: list) -> str:
    """Return the id of the invocation that asked."""
    return [event.invocation_id for event in events if event.long_running_tool_ids][-1]


def has_resumable_apps() -> bool:
    try:
        return hasattr(importlib.import_module("google.adk.apps.app"), "ResumabilityConfig")
    except ImportError:
        return False


def as_fact(claim: Claim, name: str, **how) -> None:
    try:
        claim.fact(name, seen_in(**how))
    except Exception as error:
        claim.fact(name, f"raised {type(error).__name__}")


def main(claim: Claim) -> None:
    resumable = has_resumable_apps()
    # Without resumability, 1.x continues past the pause. Later releases start over, or give the answer only to the
    # actor.
    as_fact(claim, "not_resumable", resumable=False, named=False)
    if resumable:
        as_fact(claim, "resumable_and_no_run_named", resumable=True, named=False)
    # Some releases check the answer again before every later model call of the actor, and then find that the tool's
    # result did not ask for confirmation.
    with claim.attempt("pausing and continuing"):
        seen = seen_in(resumable=resumable, named=resumable)
    claim.fact("seen", seen)
    claim.equal("model calls and tool runs", seen, EXPECTED)
    claim.note("the verifier was not called before the yes, and pass 2 continued after it")


if __name__ == "__main__":
    run(__file__, main)
