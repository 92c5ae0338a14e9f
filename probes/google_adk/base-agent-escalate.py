# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "base-agent-escalate"
# claim = "an escalating event of a BaseAgent subclass ends the LoopAgent around it in that pass"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:BaseAgent",
# ]
# timeout = 30
# ///
"""A checker without a model escalates in pass 2 of at most 5. The agent after it in the loop must not run in that pass.
A loop that ignores the event makes 5 drafts.
"""

from __future__ import annotations

from _kit import Bench, Claim, llm, play, run, stub


def checker(drafts):
    from google.adk.agents import BaseAgent
    from google.adk.events import Event
    from google.adk.events.event_actions import EventActions

    class Checker(BaseAgent):
        async def _run_async_impl(self, ctx):
            done = len(drafts.requests) == 2
            yield Event(author=self.name, invocation_id=ctx.invocation_id, actions=EventActions(escalate=done))

    return Checker(name="checker")


def main(claim: Claim) -> None:
    from google.adk.agents import LoopAgent

    drafts, reviews = stub("draft"), stub("review")
    with claim.attempt("running"):
        agents = [llm("generator", drafts), checker(drafts), llm("reviewer", reviews)]
        play(Bench(LoopAgent(name="loop", sub_agents=agents, max_iterations=5)).turn(bound=60))
    claim.equal("drafts and reviews", [len(drafts.requests), len(reviews.requests)], [2, 1])
    claim.note("2 drafts, and no review in the pass that escalates")


if __name__ == "__main__":
    run(__file__, main)
