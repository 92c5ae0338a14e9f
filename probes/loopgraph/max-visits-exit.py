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
"""The switch always returns "again". The generator must run three times with max_visits=3 and twice with 2, and then
the node behind the edge with the route ``exit`` must run once. The route's name matters, because no other edge is a
fallback. A fact records what that node receives: the route that the switch wanted, "again", which distinguishes
exhaustion from a normal exit.
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
    claim.note("3 passes with a bound of 3, 2 passes with a bound of 2, then the exit edge")


if __name__ == "__main__":
    run(__file__, main)
