# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "unselected-branch"
# claim = "a branch that a SWITCH did not select never runs and cannot deadlock the run"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""There are two nodes behind the route that is not taken. The run must end by itself, and only the other branch must
have run. In 0.2.0, every node is pending from the start, so these nodes wait forever and the scheduler gives up with
RuntimeError.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run, switch


def main(claim: Claim) -> None:
    for taken, ran in (("left", ["left", "tail"]), ("right", ["right"])):
        bench = Bench(route=lambda _, taken=taken: taken)
        wf = graph("start>route route>left:left route>right:right left>tail", switch("route"))
        with claim.attempt(f"running with {taken} selected"):
            results = play(bench.run(wf))
        claim.equal(f"calls with {taken} selected", bench.order, ["start", "route", *ran])
        claim.equal("the results", sorted(results), sorted(bench.order))
    claim.note("only the selected branch ran, and the run ended")


if __name__ == "__main__":
    run(__file__, main)
