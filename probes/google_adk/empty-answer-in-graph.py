# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "empty-answer-in-graph"
# claim = "in a Workflow an LLM node whose model answers without parts stops the run or is visible to the next node"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The step's model gives an answer that has no parts and no error, as models do after a tool's result now and then.

A function node can tell by an empty input, an agent node only by what its model is sent.
"""

from __future__ import annotations

from _kit import Claim, run
from _unanswered import ANSWER, before_function, in_graph, judge, no_parts


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        answered, seen = before_function(ANSWER, (ANSWER,)), before_function(no_parts())
    judge(claim, "the next function", answered, seen)
    with claim.attempt("running"):
        answered, seen = in_graph(ANSWER, (ANSWER,)), in_graph(no_parts(), ())
    judge(claim, "the next agent", answered, seen)


if __name__ == "__main__":
    run(__file__, main)
