# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "critic-optional-field"
# claim = "the router receives an optional field that the critic leaves null"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The probe tries the critic's answer with the field set, null, and left out. If the field is set, it must arrive;
otherwise a router that receives nothing at all could look like one that loses only nulls.
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
    # Some releases drop the nulls of the parsed answer, so a router must not index the field.
    expected = {"is_valid": True, "feedback": None}
    claim.equal("what the router received, with the field null and left out", [null, left_out], [expected] * 2)
    claim.note("the field arrives as None")


if __name__ == "__main__":
    run(__file__, main)
