# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "bad-structured-answer-in-graph"
# claim = "a node's answer against its output schema is asked for again, and does not end the run"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""Models without a JSON mode miss a schema now and then: a wrong type, a field missing, plain words. The second answer
is good. It must be asked for, and arrive; a run that ends in an exception loses all that came before it.
"""

from __future__ import annotations

from _kit import Claim, run
from _mistaken import judge_mistaken


def main(claim: Claim) -> None:
    judge_mistaken(claim, "graph")


if __name__ == "__main__":
    run(__file__, main)
