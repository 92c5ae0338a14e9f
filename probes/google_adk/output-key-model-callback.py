# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "output-key-model-callback"
# claim = "what a before_model_callback or an after_model_callback answers is written under the agent's output_key"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""A guard answers for the model, or over it. The next step reads the key: one that was not written holds the draft of
the pass before, one written with the model's words holds what the guard took back.

What is there where the agent is a node of a Workflow, and what the next node receives, are facts.
"""

from __future__ import annotations

from _answering import judge_answered
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_answered(claim, "before_model", "after_model")


if __name__ == "__main__":
    run(__file__, main)
