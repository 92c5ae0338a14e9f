# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "critic-schema-to-state"
# claim = "with output_schema and output_key, a critic's answer is a dict in session state before the next step runs"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.agents:BaseAgent",
# ]
# timeout = 30
# ///
"""The critic runs under a ``BaseAgent`` subclass that reads the state directly after it and, if the release has
workflows, as a node before a function node that reads the state. The probe fails if the verdict is text, late or lost.
"""

from __future__ import annotations

from _kit import Bench, Claim, critic_schema, graph, import_engine, llm, play, run, stub

VERDICT = {"is_valid": False, "feedback": "too long"}


def critic():
    return llm("critic", stub(VERDICT), output_schema=critic_schema(), output_key="verdict")


def in_agent() -> list:
    from google.adk.agents import BaseAgent

    found = []

    class Reader(BaseAgent):
        async def _run_async_impl(self, ctx):
            async for event in self.sub_agents[0].run_async(ctx):
                yield event
            found.append(ctx.session.state.get("verdict"))

    play(Bench(Reader(name="reader", sub_agents=[critic()])).turn())
    return found


def in_graph() -> list:
    found = []

    def reader(ctx):
        found.append(ctx.state.get("verdict"))

    play(Bench(graph(("START", critic(), reader))).turn())
    return found


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        seen = {"agent": in_agent()}
        if "google.adk.workflow" in import_engine():
            seen["graph"] = in_graph()
    claim.fact("found", seen)
    claim.equal("what the next step found", seen, {place: [VERDICT] for place in seen})
    claim.note(f"a dict, in {' and '.join(seen)}")


if __name__ == "__main__":
    run(__file__, main)
