# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "agent-error-raises"
# claim = "an exception in a sub-agent reaches the caller of the runner, and no agent after it runs"
# engine = "google-adk"
# needs = ["google.adk.agents:BaseAgent"]
# timeout = 30
# ///
"""The exception has a type and a text of its own, and both must reach the caller. A run that ends without an exception
looks like success.
"""

from __future__ import annotations

from _kit import Bench, Claim, llm, play, run, stub


class LoopExhausted(Exception):
    pass


def main(claim: Claim) -> None:
    from google.adk.agents import BaseAgent

    after = stub("after")

    class Failing(BaseAgent):
        async def _run_async_impl(self, ctx):
            raise LoopExhausted("loop 'review' made 3 passes without approval")
            yield ctx

    class InTurn(BaseAgent):
        async def _run_async_impl(self, ctx):
            for agent in self.sub_agents:
                async for event in agent.run_async(ctx):
                    yield event

    seen = ["no exception", ""]
    try:
        play(Bench(InTurn(name="root", sub_agents=[Failing(name="loop"), llm("after", after)])).turn())
    except Exception as error:
        seen = [type(error).__name__, str(error)]
    claim.equal("what reached the caller", seen, ["LoopExhausted", "loop 'review' made 3 passes without approval"])
    claim.equal("runs of the agent after it", len(after.requests), 0)
    claim.note("the caller receives the exception as it was raised")


if __name__ == "__main__":
    run(__file__, main)
