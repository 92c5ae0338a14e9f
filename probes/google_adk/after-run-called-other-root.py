# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "after-run-called-other-root"
# claim = "a plugin's after_run_callback is called once after each run of an agent that runs others"
# engine = "google-adk"
# needs = [
#   "google.adk.plugins.base_plugin:BasePlugin",
#   "google.adk.agents:SequentialAgent",
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:BaseAgent",
# ]
# timeout = 30
# ///
"""Hosts close what they opened there: traces, locks, bills. Two runs are made, so that a call a session is not taken
for a call a run.

The roots are a SequentialAgent, a LoopAgent and a BaseAgent subclass.
"""

from __future__ import annotations

from _hosting import judge_closed_runs, other_roots
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_closed_runs(claim, other_roots())


if __name__ == "__main__":
    run(__file__, main)
