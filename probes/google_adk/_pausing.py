"""What the probes of a pause inside a tool share: a workflow in an agent's tools that asks between two nodes."""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, call, graph, llm, open_call, plain, play, stub


def _asked(resumable: bool) -> dict[str, Any]:
    from google.adk.events.request_input import RequestInput

    trace: list = []

    def draft():
        trace.append("draft")
        return "draft 1"

    def ask():
        return RequestInput(interrupt_id="ask", message="publish?")

    def publish(node_input):
        trace.append(f"publish {plain(node_input)}")
        return "published"

    # Without a description and an input schema some releases refuse it.
    write = graph(("START", draft, ask, publish), name="write", description="Writes.", input_schema=str)
    chat = stub(call("write", request="a text"), "here you are")
    bench = Bench(llm("chat", chat, tools=[write]), resumable=resumable)

    async def scene() -> dict[str, Any]:
        events = await bench.turn(bound=80)
        question = open_call(events)
        seen: dict[str, Any] = {
            "asked": question and question.name,
            "at_the_pause": {"chat_calls": len(chat.requests), "nodes": list(trace)},
        }
        if question:
            await bench.answer(events, "yes", bound=80)
            seen["in_all"] = {"chat_calls": len(chat.requests), "nodes": list(trace)}
            seen["chat_read"] = chat.requests[-1]["contents"][-1][:80]
        return seen

    return play(scene(), seconds=50)


def judge_pause(claim: Claim, resumable: bool) -> None:
    """Refute the claim unless the question reaches the caller and the answer goes on where the workflow stopped."""
    with claim.attempt("pausing in a workflow that is a tool"):
        seen = _asked(resumable)
    claim.fact("seen", seen)
    claim.true(seen["asked"], f"the question did not reach the caller: {seen['at_the_pause']}")
    claim.equal("what ran before the answer", seen["at_the_pause"], {"chat_calls": 1, "nodes": ["draft"]})
    # Where the answer is not led back to the tool, the chat agent reads it as another result, and comments on it.
    claim.equal("what ran in all", seen["in_all"], {"chat_calls": 2, "nodes": ["draft", "publish yes"]})
    claim.equal("what the chat agent read", seen["chat_read"], 'user: <response write {"result": "published"}>')
    claim.note("the question reached the caller, and the answer went on in the workflow")
