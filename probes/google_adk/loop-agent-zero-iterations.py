# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-agent-zero-iterations"
# claim = "a LoopAgent with max_iterations=0 runs no pass"
# engine = "google-adk"
# needs = ["google.adk.agents:LoopAgent"]
# timeout = 30
# ///
"""The run is cut off at 20 events, to detect an endless loop. Releases that do not compare the limit with None treat 0
as no limit.
"""

from __future__ import annotations

from _kit import Bench, Claim, Refuted, llm, play, run, stub


def main(claim: Claim) -> None:
    from google.adk.agents import LoopAgent

    drafts = stub("draft")
    with claim.attempt("a loop of at most 0"):
        bench = Bench(LoopAgent(name="loop", sub_agents=[llm("generator", drafts)], max_iterations=0))
        try:
            play(bench.turn(bound=20))
        except Refuted as endless:
            claim.fact("endless", True)
            raise Refuted("max_iterations=0 does not limit the loop: cut off after 20 events") from endless
    claim.fact("endless", False)
    claim.equal("passes", len(drafts.requests), 0)
    claim.note("no pass")


if __name__ == "__main__":
    run(__file__, main)
