# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "require-confirmation-in-agent"
# claim = "a require_confirmation=True tool in an LlmAgent waits for a yes and goes on once"
# engine = "google-adk"
# needs = [
#   "google.adk.tools.tool_confirmation",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The agent is the root. At the question nothing after it may run, the agent's own model included. After one yes the
tool must run once, the agent's model must read what it gave, and what follows must run once: a run that starts over,
one that only answers the agent, and one that asks again would show.
"""

from __future__ import annotations

from _confirming import judge_place
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_place(claim, "agent", resumable=False)


if __name__ == "__main__":
    run(__file__, main)
