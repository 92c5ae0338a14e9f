"""What the probes of a refiner share: the documentation's own loop, whose last pass calls exit_loop."""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, call, llm, play, stub


def _refined(last: Any) -> dict[str, Any]:
    from google.adk.agents import LoopAgent, SequentialAgent
    from google.adk.tools import exit_loop

    published = stub("published")
    writer = llm("writer", stub("draft 1"), output_key="draft")
    refiner = llm("refiner", stub("draft 2", last, "spoken after the escalate"), tools=[exit_loop], output_key="draft")
    publisher = llm("publisher", published, instruction="Publish: '{draft?}'")
    loop = LoopAgent(name="loop", sub_agents=[refiner], max_iterations=5)
    bench = Bench(SequentialAgent(name="root", sub_agents=[writer, loop, publisher]))

    async def scene() -> dict[str, Any]:
        await bench.turn(bound=80)
        return await bench.state()

    state = play(scene())
    read = published.requests[0]["system"].partition("Publish: ")[2].split("\n")[0]
    return {"in_session": state.get("draft"), "next_step_read": read}


def call_with_words() -> Any:
    """Return the answer of a model that says something beside its call."""
    from google.adk.models.llm_response import LlmResponse
    from google.genai import types

    parts = [
        types.Part(text="Nothing to do."),
        types.Part(function_call=types.FunctionCall(name="exit_loop", args={})),
    ]
    return LlmResponse(content=types.Content(role="model", parts=parts))


def judge_refined(claim: Claim, last: Any) -> None:
    """Refute the claim unless the draft of the pass before is there after a loop that the answer ends."""
    with claim.attempt("leaving a loop by exit_loop"):
        seen = _refined(last or call("exit_loop"))
    claim.fact("seen", seen)
    claim.equal("the draft after the loop", seen, {"in_session": "draft 2", "next_step_read": "'draft 2'"})
    claim.note("draft 2 is in the session and before the next step")
