# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "parallel-tool-state"
# claim = "if two tools that are called at once each write a state key, both keys are in the session afterwards"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""Each tool pauses before and after it writes, as a tool with real work does, so that both are in progress at the same
time. The engine makes one event of the two results. A merge that keeps the state of only one tool makes a difference.

Two facts record what is left if both tools append to one list: with a pause between reading and writing, and without.
"""

from __future__ import annotations

from _kit import Bench, Claim, llm, play, run, stub, turns


def calling_at_once(*names):
    """Return a model that calls all these tools in its first answer, and then answers with a text."""
    from google.genai import types

    base = stub("all at once", "done")

    class AtOnce(type(base)):
        async def generate_content_async(self, llm_request, stream=False):
            async for response in super().generate_content_async(llm_request, stream):
                if len(self.requests) == 1:
                    made = [types.FunctionCall(name=name, args={}) for name in names]
                    response.content.parts = [types.Part(function_call=item) for item in made]
                yield response

    model = AtOnce(model="stub")
    model._script = base._script
    return model


def state_after(tools: list) -> dict:
    bench = Bench(llm("agent", calling_at_once("left", "right"), tools=tools))

    async def scene() -> dict:
        await bench.turn(bound=50)
        return await bench.state()

    return play(scene())


def own_keys() -> list:
    async def left(tool_context) -> str:
        """Left."""
        await turns()
        tool_context.state["left"] = 1
        await turns()
        return "left"

    async def right(tool_context) -> str:
        """Right."""
        await turns()
        tool_context.state["right"] = 2
        await turns()
        return "right"

    return [left, right]


def one_list(pause: bool) -> list:
    async def append(state, word: str) -> str:
        words = list(state.get("words") or [])
        if pause:
            await turns()
        state["words"] = [*words, word]
        return word

    async def left(tool_context) -> str:
        """Left."""
        return await append(tool_context.state, "left")

    async def right(tool_context) -> str:
        """Right."""
        return await append(tool_context.state, "right")

    return [left, right]


def main(claim: Claim) -> None:
    for name, pause in (("one_list_read_and_written_at_once", False), ("one_list_with_a_pause_between", True)):
        claim.fact(name, state_after(one_list(pause)).get("words"))
    with claim.attempt("two tools at once"):
        state = state_after(own_keys())
    # The first releases copy each tool's actions, including its state changes, over those of the tool before.
    claim.equal("the keys in the session", {key: state.get(key) for key in ("left", "right")}, {"left": 1, "right": 2})
    claim.note("the session has both keys")


if __name__ == "__main__":
    run(__file__, main)
