# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "returned-string-route"
# claim = "a router that returns only the label of a route takes that route"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The router returns the label itself, without an Event. Only the node of that label must run. The claim is false if
neither node runs, if both run, or if there is an exception.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event

    def nodes_run(answer) -> list:
        ran = []

        def router():
            return answer

        def right():
            ran.append("right")

        def wrong():
            ran.append("wrong")

        play(Bench(graph(("START", router), (router, {"PASS": right, "REVISE": wrong}))).turn())
        return ran

    with claim.attempt("running"):
        # With an Event first, to show that the graph itself works.
        claim.equal("nodes run after an Event with the route", nodes_run(Event(route="PASS")), ["right"])
        ran = nodes_run("PASS")
    # A function's result becomes the output of its node. Only an Event or the context carries a route.
    claim.fact("ran", ran)
    claim.equal("nodes run after the label alone", ran, ["right"])
    claim.note("the label alone selects the route")


if __name__ == "__main__":
    run(__file__, main)
