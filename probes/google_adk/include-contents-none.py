# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "include-contents-none"
# claim = "a generator of a LoopAgent with include_contents='none' sees none of its earlier drafts on pass 2"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The same loop with ``include_contents='default'`` must show the first draft on pass 2, or a model that is shown
nothing at all would prove the claim. Facts: all that either saw.
"""

from __future__ import annotations

from _kit import Bench, Claim, fed, llm, play, run, stub


def seen_on_pass_2(claim: Claim, contents: str) -> list:
    from google.adk.agents import LoopAgent

    drafts = stub("first draft", "second draft")
    agents = [llm("generator", drafts, include_contents=contents), llm("critic", stub("the feedback"))]
    play(Bench(LoopAgent(name="loop", sub_agents=agents, max_iterations=2)).turn("the request", bound=60))
    claim.fact(f"saw_with_{contents}", [request["contents"] for request in drafts.requests])
    return fed(drafts.requests[1], "the request", "first draft", "the feedback")


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        default, none = seen_on_pass_2(claim, "default"), seen_on_pass_2(claim, "none")
    claim.equal("seen on pass 2 by default", default, ["the request", "first draft", "the feedback"])
    claim.true("first draft" not in none, "the first draft is before the model on pass 2 all the same")
    # Whether the critic's answer is there differs by release: newer ones keep the turn since another agent spoke.
    claim.fact("still_seen_with_none", none)
    claim.note(f"no draft; still there: {', '.join(none) or 'nothing'}")


if __name__ == "__main__":
    run(__file__, main)
