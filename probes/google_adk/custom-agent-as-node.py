# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "custom-agent-as-node"
# claim = "a BaseAgent subclass as a workflow node passes the output of its own last event to the next node"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:BaseAgent",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The agent loops over a generator, and at the end yields an event with an output of its own. The next node must run
once and receive that output, instead of a sub-agent's text or nothing.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, llm, plain, play, run, stub


def main(claim: Claim) -> None:
    from google.adk.agents import BaseAgent
    from google.adk.events import Event

    drafts, received = stub("draft 1", "draft 2"), []

    class Loop(BaseAgent):
        async def _run_async_impl(self, ctx):
            for _ in range(2):
                async for event in self.sub_agents[0].run_async(ctx):
                    yield event
            last = ctx.session.state["draft"]
            yield Event(author=self.name, invocation_id=ctx.invocation_id, output=f"final {last}")

    def publish(node_input):
        received.append(plain(node_input))

    with claim.attempt("running"):
        loop = Loop(name="loop", sub_agents=[llm("generator", drafts, output_key="draft")])
        play(Bench(graph(("START", loop, publish))).turn(bound=60))
    claim.equal("model calls", len(drafts.requests), 2)
    claim.equal("what the next node received", received, ["final draft 2"])
    claim.note("the next node receives 'final draft 2'")


if __name__ == "__main__":
    run(__file__, main)
