# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "merge-in-loop"
# claim = "an AGGREGATE inside a loop takes only the inputs of the current activation"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A merge that requires one input has two upstream nodes: one before the loop, and the body of the loop. In the first
pass it must receive only the result of the former, and in each later pass only that of the latter.

False before 0.5: results are kept for the complete run. 0.4 picks the earliest result, so each pass receives the one
from before the loop again. Earlier releases pass all results.
"""

from __future__ import annotations

from _kit import Bench, Claim, aggregate, graph, play, run, switch


def main(claim: Claim) -> None:
    wf = graph(
        "before>m m>route route>body:again body>m route>out:done",
        aggregate("m", required=1),
        switch("route"),
    )
    bench = Bench(
        body=lambda _: f"body {bench.order.count('body')}",
        route=lambda _: "again" if bench.order.count("m") < 3 else "done",
    )
    with claim.attempt("validating"):
        wf.validate()
    with claim.attempt("running"):
        play(bench.run(wf))
    claim.equal("the calls", bench.order, ["before", *["m", "route", "body"] * 2, "m", "route", "out"])
    claim.equal("what the merge received", bench.given("m"), [["before"], ["body 1"], ["body 2"]])
    claim.note("each pass received only the result of its own body")


if __name__ == "__main__":
    run(__file__, main)
