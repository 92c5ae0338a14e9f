# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "compaction-workflow-root"
# claim = "an app that compacts events puts a summary into the session of a Workflow after two turns"
# engine = "google-adk"
# needs = [
#   "google.adk.apps.app:EventsCompactionConfig",
#   "google.adk.workflow:Workflow",
# ]
# timeout = 30
# ///
"""The interval is two turns, and the summary is by a model of its own. A session that only grows is sent whole, until
it is too long for the model. What the root's model is sent on turn 3 is a fact.
"""

from __future__ import annotations

from _hosting import judge_compacted, workflow_root
from _kit import Claim, run


def main(claim: Claim) -> None:
    judge_compacted(claim, workflow_root())


if __name__ == "__main__":
    run(__file__, main)
