# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "instruction-state"
# claim = "{key} in an instruction is replaced from state, and an instruction function's text is left alone"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.agents:BaseAgent",
# ]
# timeout = 30
# ///
"""The state is written by the agent that runs just before. Braces that are no key, and an instruction function's
braces, must reach the model as they are: a template that is filled twice, or not at all, shows.
"""

from __future__ import annotations

from _kit import Bench, Claim, llm, play, run, stub


def main(claim: Claim) -> None:
    from google.adk.agents import BaseAgent

    filled, provided = stub("filled"), stub("provided")

    class InTurn(BaseAgent):
        async def _run_async_impl(self, ctx):
            for agent in self.sub_agents:
                async for event in agent.run_async(ctx):
                    yield event

    def provider(_context):
        return "Provided: {draft} and {not a key}."

    agents = [
        llm("writer", stub("the draft"), output_key="draft"),
        llm("filled", filled, instruction="Filled: {draft} and {not a key} and {missing?}."),
        llm("provided", provided, instruction=provider),
    ]
    with claim.attempt("running"):
        play(Bench(InTurn(name="in_turn", sub_agents=agents)).turn())
    seen = [model.requests[0]["system"] for model in (filled, provided)]
    for system, expected in zip(
        seen, ("Filled: the draft and {not a key} and .", "Provided: {draft} and {not a key}.")
    ):
        claim.true(expected in system, f"expected {expected!r} in the instruction, saw {system!r}")
    claim.note("the template is filled, the function's text is left alone")


if __name__ == "__main__":
    run(__file__, main)
