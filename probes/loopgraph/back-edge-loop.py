# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "back-edge-loop"
# claim = "a back edge out of a SWITCH loops until the switch takes another edge, and the run ends"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The switch sends the generator round twice and then leaves. Every call is compared, so a loop that ends early,
goes on or skips a node is noticed. What the generator receives on each pass is a fact: on a later pass it is the
switch's route from 0.4 on, and before that always what the first of its upstream nodes returned.
"""

from __future__ import annotations

from _kit import Bench, Claim, loop, play, run


def main(claim: Claim) -> None:
    bench = Bench(route=lambda _: "again" if bench.order.count("gen") < 3 else "done")
    with claim.attempt("running"):
        results = play(bench.run(loop(), "task"))
    claim.equal("the calls", bench.order, ["start", *["gen", "route"] * 3, "out"])
    claim.equal("the results", sorted(results), ["gen", "out", "route", "start"])
    claim.equal("what the first node received", bench.given("start"), ["task"])
    claim.fact("gen_received", bench.given("gen"))
    claim.note("3 passes, then the exit ran once")


if __name__ == "__main__":
    run(__file__, main)
