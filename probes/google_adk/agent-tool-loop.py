# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "agent-tool-loop"
# claim = "a chat agent calls a sequence with a LoopAgent inside as an AgentTool, and reads its last text as the result"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:SequentialAgent",
#   "google.adk.tools:exit_loop",
#   "google.adk.tools.agent_tool:AgentTool",
# ]
# timeout = 30
# ///
"""The critic ends the loop in pass 2 of at most 5. A publisher answers after the loop, and the chat agent must read the
publisher's text and answer. The probe fails if the loop's escalate also ends the sequence or the chat agent's run.

A fact records the result of a sequence that ends with the loop: its last event is the response of ``exit_loop``, which
has no text.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, llm, play, run, stub, texts


def called(with_publisher: bool) -> dict:
    from google.adk.agents import LoopAgent, SequentialAgent
    from google.adk.tools import exit_loop
    from google.adk.tools.agent_tool import AgentTool

    drafts = stub("draft 1", "draft 2", "draft 3")
    critic = llm("critic", stub("not yet", call("exit_loop"), ""), tools=[exit_loop])
    steps = [LoopAgent(name="loop", sub_agents=[llm("generator", drafts), critic], max_iterations=5)]
    if with_publisher:
        steps.append(llm("publisher", stub("published draft 2")))
    chat = stub(call("write", request="a text"), "here you are")
    write = AgentTool(SequentialAgent(name="write", description="Writes a text.", sub_agents=steps))
    events = play(Bench(llm("chat", chat, tools=[write])).turn())
    return {
        "drafts": len(drafts.requests),
        "chat_calls": len(chat.requests),
        "read": chat.requests[-1]["contents"][-1],
        "said": texts(events)[-1],
    }


def main(claim: Claim) -> None:
    try:
        claim.fact("the_loop_is_last", called(with_publisher=False))
    except Exception as error:
        claim.fact("the_loop_is_last", f"raised {type(error).__name__}")
    with claim.attempt("calling the sequence as a tool"):
        seen = called(with_publisher=True)
    claim.fact("a_publisher_is_last", seen)
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
