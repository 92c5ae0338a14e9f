# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "node-state-downstream"
# claim = "later nodes and the session have what a function node writes to state"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The value is read in three ways: with ``ctx.state``, as a parameter with the key's name, and from the session."""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event

    seen = {}

    def writer(ctx):
        ctx.state["by_context"] = [1, 2]
        return Event(output="written", state={"by_event": {"a": 1}})

    def reader(ctx, by_context, by_event):
        seen["state"] = [ctx.state.get("by_context"), ctx.state.get("by_event")]
        seen["parameters"] = [by_context, by_event]

    bench = Bench(graph(("START", writer, reader)))

    async def scene():
        await bench.turn()
        return await bench.state()

    with claim.attempt("running"):
        state = play(scene())
    seen["session"] = [state.get("by_context"), state.get("by_event")]
    claim.fact("seen", seen)
    written = [[1, 2], {"a": 1}]
    claim.equal("what was read", seen, {"state": written, "parameters": written, "session": written})
    claim.note("read with ctx.state, as parameters and from the session")


if __name__ == "__main__":
    run(__file__, main)
