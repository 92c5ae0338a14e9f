# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "agent-tool-inner-limit"
# claim = "RunConfig.max_llm_calls stops an agent inside an AgentTool that makes more calls"
# engine = "google-adk"
# needs = [
#   "google.adk.agents.run_config:RunConfig",
#   "google.adk.tools.agent_tool:AgentTool",
# ]
# timeout = 30
# ///
"""The limit is 5, and the inner agent calls its tool 20 times before it answers. It must be stopped by an error that
reaches the caller, after no more calls than the limit allows.

Whether the chat agent's own calls count as well is another claim's.
"""

from __future__ import annotations

from _kit import Claim, call, run
from _limited import LIMIT, stopped


def main(claim: Claim) -> None:
    seen = stopped([call("look")] * 20, turns=1)
    claim.fact("seen", seen)
    # The inner run has the engine's own limit of 500 where the tool does not hand on the caller's.
    claim.true(
        seen["inner_calls"] <= LIMIT,
        f"under a limit of {LIMIT} the inner agent's model was called {seen['inner_calls']} times",
    )
    claim.equal("what reached the caller", seen["raised"], "LlmCallsLimitExceededError")
    claim.note(f"stopped after {seen['inner_calls']} calls of the inner agent")


if __name__ == "__main__":
    run(__file__, main)
