# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "agent-tool-workflow"
# claim = "a chat agent calls a cyclic Workflow as an AgentTool, and reads its last text as the result"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.tools.agent_tool:AgentTool",
# ]
# timeout = 30
# ///
"""The router approves the second draft. A publisher answers after the loop, and the chat agent must read the
publisher's text and answer.

A workflow is a node but not an agent, and an ``AgentTool`` reads the sub-agents of what it wraps. ``workflow-in-tools``
tests the other way to use a workflow as a tool.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, graph, llm, play, run, stub, texts


def cycle(drafts):
    from google.adk.events import Event

    def router():
        return Event(route="PASS" if len(drafts.requests) >= 2 else "REVISE", output="again")

    generator, publisher = llm("generator", drafts), llm("publisher", stub("published draft 2"))
    return graph(
        ("START", generator, router),
        (router, {"REVISE": generator, "PASS": publisher}),
        name="write",
        description="Writes a text.",
    )


def main(claim: Claim) -> None:
    from google.adk.tools.agent_tool import AgentTool

    drafts = stub("draft 1", "draft 2", "draft 3")
    chat = stub(call("write", request="a text"), "here you are")
    with claim.attempt("calling the workflow as an AgentTool"):
        bench = Bench(llm("chat", chat, tools=[AgentTool(cycle(drafts))]))
        events = play(bench.turn())
    seen = {
        "drafts": len(drafts.requests),
        "chat_calls": len(chat.requests),
        "read": chat.requests[-1]["contents"][-1],
        "said": texts(events)[-1],
    }
    claim.fact("seen", seen)
    expected = {
        "drafts": 2,
        "chat_calls": 2,
        "read": 'user: <response write {"result": "published draft 2"}>',
        "said": "chat: here you are",
    }
    claim.equal("the loop, what the chat agent read and what it said", seen, expected)
    claim.note("2 drafts, the publisher's text is the result, and the chat agent answers")


if __name__ == "__main__":
    run(__file__, main)
