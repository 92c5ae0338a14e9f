# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "returned-string-route"
# claim = "a router that returns the bare label is routed by it"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The label is returned as it is, without an Event. The node of that label must run, and no other. Silence, an
unrouted run of both nodes, or an exception refute it.
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
        # By an Event first, so that silence is known to be the bare label's.
        claim.equal("nodes run after an Event with the route", nodes_run(Event(route="PASS")), ["right"])
        ran = nodes_run("PASS")
    # What a function returns becomes the output of its node; only an Event or the context carries a route.
    claim.fact("ran", ran)
    claim.equal("nodes run after the bare label", ran, ["right"])
    claim.note("the bare label routes")


if __name__ == "__main__":
    run(__file__, main)
