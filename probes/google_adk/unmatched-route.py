# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "unmatched-route"
# claim = "a route that no edge takes raises, warns or logs a warning"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""A run that ends silently, without a node after the router, looks like success. A warning that also appears when an
edge takes the route would prove nothing, so such a run must be silent.
"""

from __future__ import annotations

from _kit import Bench, Claim, caught, graph, heard_logs, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event

    ran = []

    def signs(route: str) -> list:
        def router():
            return Event(route=route, output="the draft")

        def right():
            ran.append("right")

        found = []
        with heard_logs() as logged, caught() as warned:
            try:
                bench = Bench(graph(("START", router), (router, {"PASS": right, "REVISE": publish})))
                events = play(bench.turn())
                found += [f"event: {event.error_code}" for event in events if event.error_code]
            except Exception as error:
                found.append(f"raised: {type(error).__name__}: {error}")
        return found + [f"logged {line}" for line in logged] + [f"warned {row['text']}" for row in warned]

    def publish():
        ran.append("publish")

    usual = signs("PASS")
    claim.equal("nodes run after a route that an edge takes", ran, ["right"])
    ran.clear()
    found = [sign for sign in signs("NO_SUCH_ROUTE") if sign not in usual]
    claim.fact("signs", found)
    claim.equal("nodes run after a route that no edge takes", ran, [])
    claim.true(found, "the run ended silently, as if it had succeeded")
    claim.true(any("NO_SUCH_ROUTE" in sign for sign in found), f"no sign names the route: {found}")
    claim.note(f"a sign: {found[0]}")


if __name__ == "__main__":
    run(__file__, main)
