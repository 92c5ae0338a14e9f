# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "pause-in-agent-tool"
# claim = "a tool inside an AgentTool that waits for a yes asks the caller, and runs once after the yes"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.tools.agent_tool:AgentTool",
#   "google.adk.tools.tool_confirmation",
# ]
# timeout = 30
# ///
"""The inner agent's tool has the engine's own switch. At the question the chat agent must not have read a result, and
after the yes the tool must run once and the chat agent must read what the inner agent said.

What comes of a resumable app is a fact, and so is the same agent as a sub-agent of the mode ``single_turn``, which
newer releases recommend.
"""

from __future__ import annotations

from typing import Any

from _confirming import Remover, answer_to, resumable_apps
from _kit import Bench, Claim, call, llm, open_call, play, run, stub


def asked(resumable: bool = False, sub_agent: bool = False) -> dict[str, Any]:
    from google.adk.tools.agent_tool import AgentTool

    remover = Remover()
    inner_model, chat = stub(call("remove"), "it is removed"), stub(call("inner", request="remove"), "done")
    fields = {"mode": "single_turn"} if sub_agent else {}
    inner = llm("inner", inner_model, description="Removes.", tools=[remover.switched()], **fields)
    root = llm("chat", chat, sub_agents=[inner]) if sub_agent else llm("chat", chat, tools=[AgentTool(inner)])
    bench = Bench(root, resumable=resumable)

    def calls() -> dict[str, int]:
        return {"chat": len(chat.requests), "inner": len(inner_model.requests), "tool": len(remover.ran)}

    async def scene() -> dict[str, Any]:
        events = await bench.turn(bound=80)
        question = open_call(events)
        seen: dict[str, Any] = {"asked": question and question.name, "at_the_pause": calls()}
        if question:
            await bench.turn(answer_to(events, True), bound=80)
            seen["in_all"] = calls()
        # The engine's own words name the call by a generated id.
        seen["chat_read"] = [request["contents"][-1][:60] for request in chat.requests[1:]]
        return seen

    return play(scene())


def as_fact(claim: Claim, name: str, **how: bool) -> None:
    try:
        claim.fact(name, asked(**how))
    except Exception as error:
        claim.fact(name, f"raised {type(error).__name__}")


def main(claim: Claim) -> None:
    from google.adk.agents import LlmAgent

    if resumable_apps():
        as_fact(claim, "resumable_app", resumable=True)
    if "mode" in LlmAgent.model_fields:
        as_fact(claim, "single_turn_sub_agent", sub_agent=True)
    with claim.attempt("asking inside an AgentTool"):
        seen = asked()
    claim.fact("seen", seen)
    # The inner agent runs in a session of its own, which is thrown away at its question.
    claim.true(seen["asked"], f"the question did not reach the caller, and the chat agent read {seen['chat_read']}")
    claim.equal("calls before the yes", seen["at_the_pause"], {"chat": 1, "inner": 1, "tool": 0})
    claim.equal("calls in all", seen["in_all"], {"chat": 2, "inner": 2, "tool": 1})
    claim.note("the question reached the caller, and the yes ran the tool once")


if __name__ == "__main__":
    run(__file__, main)
