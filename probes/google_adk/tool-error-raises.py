# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "tool-error-raises"
# claim = "an exception in a tool reaches the caller of the runner, and the model is not called again"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""The exception has a type and a text of its own, and both must reach the caller. If the engine catches it, the model
receives it as a result, or the run ends as if it had succeeded.

A fact records the same for an agent that is a node of a ``Workflow``, and for one in an ``AgentTool``.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, graph, import_engine, llm, play, run, stub


class DiskFull(Exception):
    pass


def seen_of(place: str) -> dict:
    from google.adk.tools.agent_tool import AgentTool

    def write() -> str:
        """Writes."""
        raise DiskFull("no space left for draft 1")

    model = stub(call("write"), "done")
    root = llm("agent", model, tools=[write])
    if place == "workflow":
        root = graph(("START", root))
    elif place == "agent_tool":
        root = llm("chat", stub(call("agent", request="write"), "done"), tools=[AgentTool(root)])
    raised = "nothing"
    try:
        play(Bench(root).turn(bound=50))
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
    return {"raised": raised, "model_calls": len(model.requests)}


def main(claim: Claim) -> None:
    places = ["agent", "agent_tool"]
    if "google.adk.workflow" in import_engine():
        places.append("workflow")
    seen = {place: seen_of(place) for place in places}
    claim.fact("seen", seen)
    expected = {"raised": "DiskFull: no space left for draft 1", "model_calls": 1}
    claim.equal("what reached the caller", seen["agent"], expected)
    claim.note("the caller receives the exception as it was raised")


if __name__ == "__main__":
    run(__file__, main)
