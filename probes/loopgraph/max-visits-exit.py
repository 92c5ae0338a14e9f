# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "max-visits-exit"
# claim = "max_visits bounds a loop: at the bound the run leaves by the switch's exit edge"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A switch that always says "again". The generator must run three times under max_visits=3 and twice under 2, then
the node behind the edge whose route is ``exit`` once. The route's name matters: no other edge is a fallback. That
node receives the route that the switch wanted, "again", which is how it can tell exhaustion from a proper exit: a
fact.
"""

from __future__ import annotations

from _kit import Bench, Claim, loop, play, run


def main(claim: Claim) -> None:
    for bound in (3, 2):
        bench = Bench(route=lambda _: "again")
        with claim.attempt(f"running with max_visits={bound}"):
            play(bench.run(loop("exit", max_visits=bound)))
        claim.equal(f"the calls with max_visits={bound}", bench.order, ["start", *["gen", "route"] * bound, "out"])
    claim.fact("the_exit_received", bench.given("out"))
    claim.note("3 passes under 3, 2 under 2, then the exit edge")


if __name__ == "__main__":
    run(__file__, main)
