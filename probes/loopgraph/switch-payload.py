# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "switch-payload"
# claim = "a node behind a SWITCH receives the value that the SWITCH received"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The switch receives a draft and returns a route. The probe compares what its targets receive, forward and back.

False in every release so far: a node's input is its upstream node's result (Scheduler._build_input_payload), and the
result of a switch is the route. Handlers must keep a value elsewhere if it has to pass a switch.
"""

from __future__ import annotations

from _kit import Bench, Claim, Refuted, loop, play, run


def main(claim: Claim) -> None:
    bench = Bench(
        gen=lambda _: {"draft": bench.order.count("gen")},
        route=lambda _: "again" if bench.order.count("gen") < 2 else "done",
    )
    with claim.attempt("running"):
        play(bench.run(loop(), "task"))
    claim.equal("what the switch received", bench.given("route"), [{"draft": 1}, {"draft": 2}])
    claim.fact("back", bench.given("gen")[1])
    claim.fact("forward", bench.given("out")[0])
    if bench.given("out") == ["done"]:
        raise Refuted("the node behind it receives the route, 'done'")
    claim.equal("what the node behind it received", bench.given("out"), [{"draft": 2}])
    claim.note("the value passes the switch")


if __name__ == "__main__":
    run(__file__, main)
