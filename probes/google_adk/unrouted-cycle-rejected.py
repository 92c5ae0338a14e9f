# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "unrouted-cycle-rejected"
# claim = "a cycle without a routed edge is refused at construction"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The same graph with a route on the edge back must be accepted, because otherwise a refusal for another reason could
look like this one.
"""

from __future__ import annotations

from _kit import Claim, Refuted, graph, run


def first(node_input):
    return node_input


def second(node_input):
    return node_input


def main(claim: Claim) -> None:
    with claim.attempt("the same cycle with a routed edge"):
        graph(("START", first, second), (second, {"AGAIN": first}))
    try:
        graph(("START", first, second), (second, first))
    except Exception as error:
        text = str(error).lower()
        claim.fact("refused_by", type(error).__name__)
        claim.true("cycle" in text, f"refused for another reason: {type(error).__name__}")
        claim.note(f"refused by a {type(error).__name__} that mentions the cycle")
        return
    raise Refuted("a cycle that can never end was accepted")


if __name__ == "__main__":
    run(__file__, main)
