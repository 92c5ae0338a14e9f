# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "model-error-in-sequence"
# claim = "in a SequentialAgent an LLM step whose model reports an error stops the run or is visible to the next"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:SequentialAgent",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The step's model gives an answer with an error code and no content, as a safety filter does."""

from __future__ import annotations

from _kit import Claim, run
from _unanswered import ANSWER, SIGNS, in_sequence, judge, model_error


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        answered, seen = in_sequence(ANSWER, (ANSWER,)), in_sequence(model_error(), SIGNS)
    judge(claim, "the next agent", answered, seen)


if __name__ == "__main__":
    run(__file__, main)
