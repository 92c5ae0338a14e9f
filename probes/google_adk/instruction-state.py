# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "instruction-state"
# claim = "{key} in an instruction is replaced from state, and the text of an instruction function is not changed"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.agents:BaseAgent",
# ]
# timeout = 30
# ///
"""The agent that runs directly before writes the state. Braces that do not hold a key, and the braces of an instruction
function, must reach the model unchanged. A template that is filled twice or not at all makes a difference.
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
    claim.note("the template is filled, and the function's text is not changed")


if __name__ == "__main__":
    run(__file__, main)
