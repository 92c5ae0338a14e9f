# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "deprecation-warnings/Workflow-with-LoopAgent"
# claim = "constructing a Workflow with a LoopAgent among its nodes raises no DeprecationWarning"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LoopAgent",
# ]
# timeout = 30
# ///
"""It is constructed twice, and only the second time counts, so that imports cannot cause the warnings. The facts record
every warning with the line that it blames.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _kit import Claim, llm, quiet, run, stub


def build():
    from google.adk.agents import LoopAgent
    from google.adk.workflow import Workflow

    loop = LoopAgent(name="loop", sub_agents=[llm("writer", stub("draft"))], max_iterations=2)
    return Workflow(name="wf", edges=[("START", loop)])


def main(claim: Claim) -> None:
    quiet(claim, "constructing a Workflow with a LoopAgent among its nodes", build)


if __name__ == "__main__":
    run(__file__, main)
