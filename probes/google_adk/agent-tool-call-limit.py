# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "agent-tool-call-limit"
# claim = "RunConfig.max_llm_calls counts the model calls inside an AgentTool"
# engine = "google-adk"
# needs = [
#   "google.adk.agents.run_config:RunConfig",
#   "google.adk.tools.agent_tool:AgentTool",
# ]
# timeout = 30
# ///
"""The limit is 5. The chat agent calls the inner agent again and again, which makes 4 calls each time. With those
counted the run is stopped after the fifth call in all; with only its own counted, after its fifth.
"""

from __future__ import annotations

from _kit import Claim, call, run
from _limited import LIMIT, stopped


def main(claim: Claim) -> None:
    seen = stopped([*[call("look")] * 3, "found"] * 10, turns=10)
    claim.fact("seen", seen)
    # Each run of an AgentTool has a runner and an invocation of its own, and each invocation counts by itself.
    claim.equal("model calls before the run was stopped", seen["chat_calls"] + seen["inner_calls"], LIMIT)
    claim.equal("what reached the caller", seen["raised"], "LlmCallsLimitExceededError")
    claim.note(f"stopped after {LIMIT} calls, those inside the tool among them")


if __name__ == "__main__":
    run(__file__, main)
