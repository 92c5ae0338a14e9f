# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "parallel-escalate"
# claim = "an event that escalates in one branch of a ParallelAgent ends the other branches"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:ParallelAgent",
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:BaseAgent",
# ]
# timeout = 30
# ///
"""A watcher escalates with its first event, beside a worker of 20 steps that gives an event at each step. Without an
escalate the worker must do all 20; with one it must be ended before.

That a loop around the ``ParallelAgent`` ends is a fact.
"""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, play, run

STEPS = 20


def worked(escalates: bool, in_loop: bool = False) -> int:
    import asyncio

    from google.adk.agents import BaseAgent, LoopAgent, ParallelAgent
    from google.adk.events import Event
    from google.adk.events.event_actions import EventActions

    steps: list[int] = []

    class Watcher(BaseAgent):
        async def _run_async_impl(self, ctx: Any) -> Any:
            actions = EventActions(escalate=escalates)
            yield Event(author=self.name, invocation_id=ctx.invocation_id, branch=ctx.branch, actions=actions)

    class Worker(BaseAgent):
        async def _run_async_impl(self, ctx: Any) -> Any:
            for number in range(STEPS):
                steps.append(number)
                yield Event(author=self.name, invocation_id=ctx.invocation_id, branch=ctx.branch)
                await asyncio.sleep(0)

    root = ParallelAgent(name="both", sub_agents=[Watcher(name="watcher"), Worker(name="worker")])
    if in_loop:
        root = LoopAgent(name="loop", sub_agents=[root], max_iterations=3)
    play(Bench(root).turn(bound=100))
    return len(steps)


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        alone, escalated = worked(escalates=False), worked(escalates=True)
        looped = worked(escalates=True, in_loop=True)
    claim.fact("steps_of_the_worker", {"nobody_escalates": alone, "the_watcher_escalates": escalated})
    claim.fact("steps_in_a_loop_of_three_passes", looped)
    claim.equal("steps of the worker when nobody escalates", alone, STEPS)
    # The branches' events are merged as they come; nobody looks at what they ask for.
    claim.true(escalated < STEPS, f"the worker did all its {escalated} steps beside a watcher that escalated at once")
    claim.note(f"the worker was ended after {escalated} of {STEPS} steps")


if __name__ == "__main__":
    run(__file__, main)
