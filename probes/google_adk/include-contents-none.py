# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "include-contents-none"
# claim = "in a LoopAgent, a generator with include_contents='none' sees none of its earlier drafts in pass 2"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The same loop with ``include_contents='default'`` must show the first draft in pass 2. Otherwise a model that sees
nothing at all would prove the claim. The facts record everything that either model saw.
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
    claim.equal("seen in pass 2 by default", default, ["the request", "first draft", "the feedback"])
    claim.true("first draft" not in none, "the model still sees the first draft in pass 2")
    # Whether the model sees the critic's answer depends on the release: newer ones keep another agent's last answer.
    claim.fact("still_seen_with_none", none)
    claim.note(f"no draft; the model still sees: {', '.join(none) or 'nothing'}")


if __name__ == "__main__":
    run(__file__, main)
