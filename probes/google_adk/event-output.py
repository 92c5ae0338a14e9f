# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "event-output"
# claim = "the output of a router's Event(route=..., output=...) reaches the node that the route leads to"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The node of the chosen route must receive the value. The node of the other route must not run."""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event

    received = {}

    def router():
        return Event(route="PASS", output="the draft")

    def right(node_input):
        received["right"] = node_input

    def wrong(node_input):
        received["wrong"] = node_input

    with claim.attempt("running"):
        play(Bench(graph(("START", router), (router, {"PASS": right, "REVISE": wrong}))).turn())
    claim.fact("received", received)
    claim.equal("what was received by the node of each route", received, {"right": "the draft"})
    claim.note("only the node of the route receives the output")


if __name__ == "__main__":
    run(__file__, main)
