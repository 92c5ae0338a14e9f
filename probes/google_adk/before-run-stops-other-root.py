# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "before-run-stops-other-root"
# claim = "a plugin's before_run_callback ends the run of an agent that runs others by returning content"
# engine = "google-adk"
# needs = [
#   "google.adk.plugins.base_plugin:BasePlugin",
#   "google.adk.agents:SequentialAgent",
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:BaseAgent",
# ]
# timeout = 30
# ///
"""A plugin that refuses a whole run, as a host does whose budget is spent. The model must not be called, and what the
plugin said must be the only event. The same root with a plugin that returns nothing must run.

The roots are a SequentialAgent, a LoopAgent and a BaseAgent subclass.
"""

from __future__ import annotations

from _hosting import judge_refused_run, other_roots
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_refused_run(claim, other_roots())


if __name__ == "__main__":
    run(__file__, main)
