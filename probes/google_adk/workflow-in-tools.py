# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "workflow-in-tools"
# claim = "a chat agent calls a cyclic Workflow that is in its tools, and reads its last text as the result"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.tools._node_tool:NodeTool",
# ]
# timeout = 30
# ///
"""The router approves the second draft. A publisher answers after the loop, and the chat agent must read the
publisher's text and answer.

The workflow has a description and an input schema, because some releases refuse it without them. The probe needs a
private name, because no public name shows whether a release can make a tool of a node.
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
        input_schema=str,
    )


def main(claim: Claim) -> None:
    drafts = stub("draft 1", "draft 2", "draft 3")
    chat = stub(call("write", request="a text"), "here you are")
    with claim.attempt("calling a workflow from the tools"):
        bench = Bench(llm("chat", chat, tools=[cycle(drafts)]))
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
