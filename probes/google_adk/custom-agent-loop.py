# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "custom-agent-loop"
# claim = "a BaseAgent subclass that runs its sub-agents in a Python loop works"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:BaseAgent",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""Between two sub-agents, the loop reads the critic's verdict from session state. The critic approves draft 3 of at
most 5. If the state is written too late, or if sub-agents cannot run twice, the passes differ.
"""

from __future__ import annotations

from _kit import Bench, Claim, critic_schema, fed, llm, plain, play, run, stub, texts


def loop_agent(generator, critic, limit: int):
    from google.adk.agents import BaseAgent

    class Loop(BaseAgent):
        async def _run_async_impl(self, ctx):
            for _ in range(limit):
                for agent in self.sub_agents:
                    async for event in agent.run_async(ctx):
                        yield event
                if plain(ctx.session.state["verdict"])["is_valid"]:
                    return

    return Loop(name="loop", sub_agents=[generator, critic])


def main(claim: Claim) -> None:
    drafts = stub("draft 1", "draft 2", "draft 3", "draft 4")
    verdicts = stub(*[{"is_valid": n == 3, "feedback": f"feedback {n}"} for n in (1, 2, 3)])
    with claim.attempt("running"):
        bench = Bench(
            loop_agent(
                llm("generator", drafts, output_key="draft"),
                llm("critic", verdicts, output_schema=critic_schema(), output_key="verdict"),
                limit=5,
            )
        )

        async def scene():
            return await bench.turn("the request", bound=60), await bench.state()

        events, state = play(scene())
    claim.fact("events", len(events))
    claim.fact("said", texts(events))
    claim.fact("generator_saw", [request["contents"] for request in drafts.requests])
    claim.equal("calls of generator and critic", [len(drafts.requests), len(verdicts.requests)], [3, 3])
    claim.equal("feedback that the generator sees in pass 2", fed(drafts.requests[1], "feedback 1"), ["feedback 1"])
    claim.equal("the draft in the session", state.get("draft"), "draft 3")
    claim.note("3 passes; the session holds 'draft 3'")


if __name__ == "__main__":
    run(__file__, main)
