# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "two-tools-at-once"
# claim = "a model that calls two tools in one answer reads both results, in order, in one further call"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""The first tool takes longer than the second. The probe fails if the results are in the order in which the tools end,
or if there are two further calls with one result each.

A fact records the order in which the tools start and end.
"""

# No postponed annotations here, because the first releases do not evaluate the annotations of a tool's parameters.
import asyncio

from _kit import Bench, Claim, llm, play, run, stub


def calling_at_once(*calls):
    """Return a model that makes all these calls in its first answer, and then answers with a text."""
    from google.genai import types

    base = stub("all at once", "done")

    class AtOnce(type(base)):
        async def generate_content_async(self, llm_request, stream=False):
            async for response in super().generate_content_async(llm_request, stream):
                if len(self.requests) == 1:
                    made = [types.FunctionCall(name=name, args=args) for name, args in calls]
                    response.content.parts = [types.Part(function_call=item) for item in made]
                yield response

    model = AtOnce(model="stub")
    model._script = base._script
    return model


def main(claim: Claim) -> None:
    order = []

    async def slow(path: str) -> str:
        """Reads a file slowly."""
        order.append("slow starts")
        await asyncio.sleep(0.05)
        order.append("slow ends")
        return f"slow {path}"

    async def quick(path: str) -> str:
        """Reads a file quickly."""
        order.append("quick starts")
        await asyncio.sleep(0)
        order.append("quick ends")
        return f"quick {path}"

    model = calling_at_once(("slow", {"path": "a"}), ("quick", {"path": "b"}))
    with claim.attempt("running"):
        play(Bench(llm("agent", model, tools=[slow, quick])).turn(bound=50))
    claim.fact("order", order)
    claim.equal("model calls", len(model.requests), 2)
    claim.equal(
        "what the model read",
        model.requests[-1]["contents"][1:],
        [
            'model: <call slow {"path": "a"}> <call quick {"path": "b"}>',
            'user: <response slow {"result": "slow a"}> <response quick {"result": "quick b"}>',
        ],
    )
    claim.note("both results, in the order of the calls, in one further call")


if __name__ == "__main__":
    run(__file__, main)
