# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "critic-fenced-json"
# claim = "the verdict of a critic with an output schema arrives if its JSON is inside a Markdown fence"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""Models without a JSON mode put a fence around their answer. The verdict must still arrive: in session state under
``output_key`` and, if the release has workflows, as the next node's input. The same verdict without a fence must arrive
too, because otherwise a fault of the probe could look like one of the engine.
"""

from __future__ import annotations

from _kit import Bench, Claim, Refuted, critic_schema, graph, import_engine, llm, plain, play, run, stub

BARE = '{"is_valid": false, "feedback": "too long"}'
VERDICT = {"is_valid": False, "feedback": "too long"}


def understood(answer: str, has_workflow: bool) -> dict:
    agent = llm("critic", stub(answer), output_schema=critic_schema(), output_key="verdict")
    bench, found = Bench(agent), {}

    async def scene():
        await bench.turn()
        return await bench.state()

    found["state"] = plain(play(scene()).get("verdict"))
    if has_workflow:

        def router(node_input):
            found["node"] = plain(node_input)

        critic = llm("critic", stub(answer), output_schema=critic_schema())
        play(Bench(graph(("START", critic, router))).turn())
    return found


def main(claim: Claim) -> None:
    has_workflow = "google.adk.workflow" in import_engine()
    expected = {"state": VERDICT, **({"node": VERDICT} if has_workflow else {})}
    with claim.attempt("a bare answer"):
        claim.equal("what arrived from a bare answer", understood(BARE, has_workflow), expected)
    fence = "`" * 3
    try:
        seen = understood(f"{fence}json\n{BARE}\n{fence}", has_workflow)
    except ValueError as error:
        # Pydantic parses the text with its fence. Its message contains its own version, so only the type is reported.
        raise Refuted(f"a fenced answer raised {type(error).__name__}: the fence is parsed as JSON") from error
    claim.fact("arrived", seen)
    claim.equal("what arrived from a fenced answer", seen, expected)
    claim.note(f"the verdict arrives: {', '.join(sorted(expected))}")


if __name__ == "__main__":
    run(__file__, main)
