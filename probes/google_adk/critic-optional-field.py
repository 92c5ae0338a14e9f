# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "critic-optional-field"
# claim = "an optional field that the critic leaves null is there for the router"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The critic's answer is tried with the field set, null, and left out. With the field set it must arrive, so
that a router that sees nothing at all is not taken for one that misses nulls.
"""

from __future__ import annotations

from typing import Optional

from _kit import Bench, Claim, graph, llm, plain, play, run, stub


def received(answer: dict):
    from pydantic import BaseModel

    class CriticEvaluation(BaseModel):
        is_valid: bool
        feedback: Optional[str] = None

    found = []

    def router(node_input):
        found.append(plain(node_input))

    critic = llm("critic", stub(answer), output_schema=CriticEvaluation)
    play(Bench(graph(("START", critic, router))).turn())
    return found[0]


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        filled = received({"is_valid": False, "feedback": "too long"})
        null = received({"is_valid": True, "feedback": None})
        left_out = received({"is_valid": True})
    claim.fact("filled", filled)
    claim.fact("null", null)
    claim.fact("left_out", left_out)
    claim.equal("what the router received, with the field set", filled, {"is_valid": False, "feedback": "too long"})
    # Releases that dump the parsed answer without its nulls drop the field, so a router must not index it.
    expected = {"is_valid": True, "feedback": None}
    claim.equal("what the router received, with the field null and left out", [null, left_out], [expected] * 2)
    claim.note("the field is there, as None")


if __name__ == "__main__":
    run(__file__, main)
