# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "typed-node-input"
# claim = "a function node whose node_input is annotated with a Pydantic model receives one made of the dict before it"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The dict comes from a critic with an output schema, and in a second run from a function node. A value that does not
fit must be refused, because otherwise the annotation has no effect.
"""

from __future__ import annotations

from _kit import Bench, Claim, critic_schema, graph, llm, play, run, stub

VERDICT = {"is_valid": False, "feedback": "too long"}


def received(before, schema) -> list:
    found = []

    def router(node_input):
        found.append([type(node_input) is schema, getattr(node_input, "feedback", None)])

    router.__annotations__["node_input"] = schema
    play(Bench(graph(("START", before, router))).turn())
    return found


def main(claim: Claim) -> None:
    # The same class throughout, because the graph compares the schemas at both ends of an edge by identity.
    schema = critic_schema()

    def fits():
        return VERDICT

    def does_not_fit():
        return {"is_valid": "perhaps"}

    with claim.attempt("running"):
        critic = llm("critic", stub(VERDICT), output_schema=schema)
        seen = {"critic": received(critic, schema), "function": received(fits, schema)}
    claim.equal("whether the model arrived, with its feedback", seen, {place: [[True, "too long"]] for place in seen})
    try:
        wrong = received(does_not_fit, schema)
    except Exception as error:
        claim.fact("refused_by", type(error).__name__)
        wrong = []
    claim.equal("runs of the node with an input that does not fit", wrong, [])
    claim.note("the node receives a model, and a value that does not fit is refused")


if __name__ == "__main__":
    run(__file__, main)
