# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "task-agent-as-sub-agent"
# claim = "a task-mode sub-agent asks over two turns, and its chat agent reads the result"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.agents.llm.task",
# ]
# timeout = 30
# ///
"""The agent ends by ``finish_task``, at once, or after it has asked the user and got an answer in a message of its
own. The chat agent must not speak before the task is done, and must then read its result.
"""

from __future__ import annotations

from _kit import Claim, run
from _tasking import SUB_AGENT_EXPECTED, as_sub_agent, judge_task


def main(claim: Claim) -> None:
    judge_task(claim, as_sub_agent, SUB_AGENT_EXPECTED, resumable=False)


if __name__ == "__main__":
    run(__file__, main)
