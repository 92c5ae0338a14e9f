# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-agent-call-limit"
# claim = "RunConfig.max_llm_calls stops a LoopAgent that has no limit of its own"
# engine = "google-adk"
# needs = [
#   "google.adk.agents.run_config:RunConfig",
#   "google.adk.agents:LoopAgent",
# ]
# timeout = 30
# ///
"""After the fifth call, an error that reaches the caller must stop the loop. A run that continues is cut off."""

from __future__ import annotations

from _kit import Bench, Claim, llm, play, run, stub

LIMIT = 5


def main(claim: Claim) -> None:
    from google.adk.agents import LoopAgent
    from google.adk.agents.run_config import RunConfig

    model, stopped = stub("draft"), "the end"
    bench = Bench(LoopAgent(name="loop", sub_agents=[llm("generator", model)]))
    try:
        # A run that is not stopped is cut off at the bound, which refutes the claim.
        play(bench.turn(bound=60, run_config=RunConfig(max_llm_calls=LIMIT)))
    except Exception as error:
        stopped = type(error).__name__
    claim.equal("what stopped the loop", stopped, "LlmCallsLimitExceededError")
    claim.equal("model calls", len(model.requests), LIMIT)
    claim.note(f"stopped after {LIMIT} calls")


if __name__ == "__main__":
    run(__file__, main)
