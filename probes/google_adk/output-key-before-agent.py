# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "output-key-before-agent"
# claim = "what a before_agent_callback answers is written under the agent's output_key"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""A cache or a guard answers in the agent's place, and the model is not called. The next step reads the key, which
otherwise holds the draft of the pass before.

What is there where the agent is a node of a Workflow, and what the next node receives, are facts.
"""

from __future__ import annotations

from _answering import judge_answered
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_answered(claim, "before_agent")


if __name__ == "__main__":
    run(__file__, main)
