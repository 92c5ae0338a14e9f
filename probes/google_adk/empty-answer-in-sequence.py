# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "empty-answer-in-sequence"
# claim = "in a SequentialAgent an LLM step whose model answers without parts stops the run or is visible to the next"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:SequentialAgent",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The step's model gives an answer that has no parts and no error, as models do after a tool's result now and then."""

from __future__ import annotations

from _kit import Claim, run
from _unanswered import ANSWER, in_sequence, judge, no_parts


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        answered, seen = in_sequence(ANSWER, (ANSWER,)), in_sequence(no_parts(), ())
    judge(claim, "the next agent", answered, seen)


if __name__ == "__main__":
    run(__file__, main)
