# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "pause-in-node-tool"
# claim = "a pause in a Workflow that is in an agent's tools reaches the caller, and the answer goes on in it"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.events.request_input:RequestInput",
#   "google.adk.tools._node_tool:NodeTool",
# ]
# timeout = 60
# ///
"""The workflow drafts, asks and publishes. At the question the chat agent's model must not have been called again, and
after the answer the draft must not be made again, the next node must receive the answer, and the chat agent must read
what was published.

A private name is needed, for no public one tells whether a release makes a tool of a node.
"""

from __future__ import annotations

from _kit import Claim, run
from _pausing import judge_pause


def main(claim: Claim) -> None:
    judge_pause(claim, resumable=False)


if __name__ == "__main__":
    run(__file__, main)
