# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-agent-max-iterations"
# claim = "a LoopAgent that nothing else ends first ends after max_iterations passes"
# engine = "google-adk"
# needs = ["google.adk.agents:LoopAgent"]
# timeout = 30
# ///
"""Counts the calls of both sub-agents with a limit of 1 and of 3, to detect a limit that is off by one."""

from __future__ import annotations

from _kit import Bench, Claim, llm, play, run, stub


def passes(claim: Claim, limit: int) -> list[int]:
    from google.adk.agents import LoopAgent

    drafts, verdicts = stub("draft"), stub("not yet")
    with claim.attempt(f"a loop of at most {limit}"):
        agents = [llm("generator", drafts), llm("critic", verdicts)]
        bench = Bench(LoopAgent(name="loop", sub_agents=agents, max_iterations=limit))
        play(bench.turn(bound=60))
    return [len(drafts.requests), len(verdicts.requests)]


def main(claim: Claim) -> None:
    for limit in (1, 3):
        claim.equal(f"calls of generator and critic under max_iterations={limit}", passes(claim, limit), [limit] * 2)
    claim.note("1 pass with a limit of 1, and 3 passes with a limit of 3")


if __name__ == "__main__":
    run(__file__, main)
