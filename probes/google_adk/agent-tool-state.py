# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "agent-tool-state"
# claim = "an agent inside an AgentTool reads the outer session's state, and what it writes is in that session"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools.agent_tool:AgentTool",
# ]
# timeout = 30
# ///
"""Before the run, the host sets a plain key and a key of the user. A tool callback of the inner agent reads both, and
writes one of each kind. The probe fails if the callback reads nothing, or if its writes are lost with the inner
session.
"""

from __future__ import annotations

import inspect

from _kit import Bench, Claim, call, llm, play, run, stub

SET = {"user:roles": ["reader"], "project": "apollo"}
WRITTEN = {"user:last": "look", "seen": "apollo"}


def main(claim: Claim) -> None:
    from google.adk.tools.agent_tool import AgentTool

    read = []

    def look() -> str:
        """Looks."""
        return "looked"

    def guard(tool, args, tool_context):  # noqa: ARG001
        read.append({key: tool_context.state.get(key) for key in SET})
        tool_context.state["user:last"] = tool.name
        tool_context.state["seen"] = tool_context.state.get("project")

    inner = llm("inner", stub(call("look"), "found"), tools=[look], before_tool_callback=guard)
    bench = Bench(llm("chat", stub(call("inner", request="look"), "done"), tools=[AgentTool(inner)]))

    async def scene() -> dict:
        made = bench.service.create_session(app_name="probe", user_id="u", session_id="s", state=dict(SET))
        # Early releases return the session directly.
        if inspect.isawaitable(made):
            await made
        await bench.turn(bound=50)
        return await bench.state()

    with claim.attempt("calling an agent as a tool"):
        state = play(scene())
    claim.fact("read_inside", read)
    claim.fact("state_afterwards", {key: value for key, value in state.items() if not key.startswith("_")})
    claim.equal("what the callback inside read", read, [SET])
    claim.equal("what it wrote, in the outer session", {key: state.get(key) for key in WRITTEN}, WRITTEN)
    claim.equal("what the host set, afterwards", {key: state.get(key) for key in SET}, SET)
    claim.note("the inner agent reads both keys, and both of its own keys are in the outer session")


if __name__ == "__main__":
    run(__file__, main)
