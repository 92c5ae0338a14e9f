# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "model-error-in-loop-agent"
# claim = "in a LoopAgent an LLM step whose model reports an error stops the run or is visible to the next"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The step's model gives an answer with an error code and no content, as a safety filter does.

It does so on pass 2 of 3: the draft of pass 1 is still in the state, and the critic can judge that one again.
"""

from __future__ import annotations

from _kit import Claim, run
from _unanswered import ANSWER, SIGNS, in_loop_agent, judge, model_error


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        answered, seen = in_loop_agent(ANSWER, (ANSWER,)), in_loop_agent(model_error(), SIGNS)
    judge(claim, "the critic in pass 2", answered, seen)


if __name__ == "__main__":
    run(__file__, main)
