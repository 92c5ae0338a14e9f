# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "output-key-after-agent"
# claim = "what an after_agent_callback answers is written under the agent's output_key"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""A guard replaces what the agent said, after its model was called. The next step reads the key, which
otherwise holds what the guard took back.

What is there where the agent is a node of a Workflow, and what the next node receives, are facts.
"""

from __future__ import annotations

from _answering import judge_answered
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_answered(claim, "after_agent")


if __name__ == "__main__":
    run(__file__, main)
