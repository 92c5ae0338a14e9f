# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "after-run-called-agent-root"
# claim = "a plugin's after_run_callback is called once after each run of an LlmAgent"
# engine = "google-adk"
# needs = [
#   "google.adk.plugins.base_plugin:BasePlugin",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""Hosts close what they opened there: traces, locks, bills. Two runs are made, so that a call a session is not taken
for a call a run.
"""

from __future__ import annotations

from _hosting import agent_root, judge_closed_runs
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_closed_runs(claim, agent_root())


if __name__ == "__main__":
    run(__file__, main)
