# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "task-agent-as-step"
# claim = "a task-mode agent as a node of a Workflow asks over two turns, and hands its result to the next node"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents.llm.task",
# ]
# timeout = 30
# ///
"""The agent ends by ``finish_task``, at once, or after it has asked the user and got an answer in a message of its
own. The node before it must run once, and the node after it once, with the result: a graph that starts over on the
user's answer, one that goes on with the question, and one that hands on the words of the tool would show.
"""

from __future__ import annotations

from _kit import Claim, run
from _tasking import STEP_EXPECTED, as_step, judge_task


def main(claim: Claim) -> None:
    judge_task(claim, as_step, STEP_EXPECTED, resumable=False)


if __name__ == "__main__":
    run(__file__, main)
