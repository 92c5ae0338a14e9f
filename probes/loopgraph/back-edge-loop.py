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
"""The switch sends the run back to the generator twice, and then leaves. Every call is compared, to detect a loop that
ends early, continues or skips a node. A fact records what the generator receives in each pass. In a later pass, that is
the switch's route from 0.4 on; before 0.4, it is always the result of the first of its upstream nodes.
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
