# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "empty-answer-in-loop-agent"
# claim = "in a LoopAgent an LLM step whose model answers without parts stops the run or is visible to the next"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The step's model gives an answer that has no parts and no error, as models do after a tool's result.

It does so on pass 2 of 3: the draft of pass 1 is still in the state, and the critic can judge that one again.
"""

from __future__ import annotations

from _kit import Claim, run
from _unanswered import ANSWER, in_loop_agent, judge, no_parts


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        answered, seen = in_loop_agent(ANSWER, (ANSWER,)), in_loop_agent(no_parts(), ())
    judge(claim, "the critic in pass 2", answered, seen)


if __name__ == "__main__":
    run(__file__, main)
