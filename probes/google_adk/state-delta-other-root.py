# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "state-delta-other-root"
# claim = "run_async(state_delta=...) reaches the first step of an agent that runs others, and the session"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:SequentialAgent",
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:BaseAgent",
# ]
# timeout = 30
# ///
"""A host gives each request's user, tenant or budget this way. An instruction that lacks its key raises, so the key is
optional there: ``{topic?}``.

The roots are a SequentialAgent, a LoopAgent and a BaseAgent subclass.
"""

from __future__ import annotations

from _hosting import judge_given_state, other_roots
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_given_state(claim, other_roots())


if __name__ == "__main__":
    run(__file__, main)
