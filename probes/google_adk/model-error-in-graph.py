# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "model-error-in-graph"
# claim = "in a Workflow an LLM node whose model reports an error stops the run or is visible to the next node"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The step's model gives an answer with an error code and no content, as a safety filter does.

A function node can tell by an empty input, an agent node only by what its model is sent.
"""

from __future__ import annotations

from _kit import Claim, run
from _unanswered import ANSWER, SIGNS, before_function, in_graph, judge, model_error


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        answered, seen = before_function(ANSWER, (ANSWER,)), before_function(model_error())
    judge(claim, "the next function", answered, seen)
    with claim.attempt("running"):
        answered, seen = in_graph(ANSWER, (ANSWER,)), in_graph(model_error(), SIGNS)
    judge(claim, "the next agent", answered, seen)


if __name__ == "__main__":
    run(__file__, main)
