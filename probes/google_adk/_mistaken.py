"""What the probes of a bad structured answer share: a critic that answers against its schema, and then by it."""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, Refuted, critic_schema, graph, llm, plain, play, stub

GOOD = {"is_valid": False, "feedback": "too long"}
BAD = {
    "a_wrong_type": {"is_valid": "perhaps", "feedback": "too long"},
    "a_field_missing": {"is_valid": False},
    "no_json": "It is too long.",
}


def _root(place: str, critic: Any, received: list) -> Any:
    if place == "agent":
        return critic

    def after(node_input):
        received.append(plain(node_input))

    return graph(("START", critic, after))


def _mistaken(place: str, bad: Any) -> dict[str, Any]:
    """Return what a critic's bad answer led to: the exception, the calls of its model, where the good one arrived."""
    received: list = []
    model = stub(bad, GOOD)
    critic = llm("critic", model, output_schema=critic_schema(), output_key="verdict")
    bench = Bench(_root(place, critic, received))
    seen: dict[str, Any] = {"raised": None}

    async def scene() -> Any:
        await bench.turn(bound=50)
        return (await bench.state()).get("verdict")

    try:
        seen["in_session"] = plain(play(scene()))
    except Refuted:
        raise
    except Exception as error:
        seen["raised"] = type(error).__name__
    seen["model_calls"] = len(model.requests)
    if place == "graph":
        seen["next_node_received"] = received
    return seen


def judge_mistaken(claim: Claim, place: str) -> None:
    """Refute the claim unless each bad answer is asked for again, and the good one arrives."""
    seen = {name: _mistaken(place, bad) for name, bad in BAD.items()}
    claim.fact("seen", seen)
    raised = {name: item["raised"] for name, item in seen.items() if item["raised"]}
    # The answer is parsed when it is written under the output_key or handed on, and nobody catches what that raises.
    claim.true(not raised, f"the run ended with {raised}")
    claim.equal("calls of the model", {name: item["model_calls"] for name, item in seen.items()}, dict.fromkeys(BAD, 2))
    claim.equal("the verdict in the session", [item["in_session"] for item in seen.values()], [GOOD] * len(BAD))
    claim.note("asked for again once, and the good answer arrived")
