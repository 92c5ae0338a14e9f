"""What the probes of callbacks that answer share: an agent with an output_key whose model is answered for."""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, graph, import_engine, llm, plain, play, stub

ANSWER = "answered by a callback"


def _callback(step: str) -> Any:
    from google.adk.models.llm_response import LlmResponse
    from google.genai import types

    answer = types.Content(role="model", parts=[types.Part(text=ANSWER)])
    of_model = {
        "before_model": lambda callback_context, llm_request: LlmResponse(content=answer),  # noqa: ARG005
        "after_model": lambda callback_context, llm_response: LlmResponse(content=answer),  # noqa: ARG005
    }
    return of_model.get(step) or (lambda callback_context: answer)  # noqa: ARG005


async def _left(bench: Bench) -> Any:
    await bench.turn(bound=50)
    return (await bench.state()).get("draft")


def _as_node(fields: dict[str, Any]) -> Any:
    """Return what the same agent leaves and hands on as a node of a Workflow, or what it raises."""
    received: list = []

    def after(node_input):
        received.append(plain(node_input))

    node = llm("agent", stub("answered by the model"), **fields)
    try:
        left = play(_left(Bench(graph(("START", node, after)))))
    except Exception as error:
        return f"raised {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    return {"in_session": left, "next_node_received": received}


def judge_answered(claim: Claim, *steps: str) -> None:
    """Refute the claim unless what these callbacks answered is under the agent's output_key."""
    for step in steps:
        fields = {f"{step}_callback": _callback(step), "output_key": "draft"}
        model = stub("answered by the model")
        if "google.adk.workflow" in import_engine():
            claim.fact(f"{step}_of_a_node", _as_node(fields))
        with claim.attempt(f"answering in a {step}_callback"):
            left = play(_left(Bench(llm("agent", model, **fields))))
        claim.fact(step, {"in_session": left, "model_calls": len(model.requests)})
        claim.equal(f"what a {step}_callback left under the output_key", left, ANSWER)
    claim.note(f"under the output_key is the answer of {' and of '.join(f'{step}_callback' for step in steps)}")
