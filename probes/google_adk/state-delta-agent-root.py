# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "state-delta-agent-root"
# claim = "run_async(state_delta=...) reaches the first step of an LlmAgent, and the session"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""A host gives each request's user, tenant or budget this way. An instruction that lacks its key raises, so the key is
optional there: ``{topic?}``.
"""

from __future__ import annotations

from _hosting import agent_root, judge_given_state
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_given_state(claim, agent_root())


if __name__ == "__main__":
    run(__file__, main)
