# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "unselected-branch-join"
# claim = "a join of the branches of a SWITCH runs as soon as the selected branch is done"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The branches of a router meet again. The join is an AGGREGATE of its branches, as after a fan-out. Facts record what
other kinds of join do.

False in every release so far: an AGGREGATE waits for all of its inputs, including the branch that was not selected, and
the scheduler gives up. With ``required`` 1, or as a task that may start on partial input, the join runs.
"""

from __future__ import annotations

from _kit import Bench, Claim, aggregate, graph, node, play, run, said, switch


def main(claim: Claim) -> None:
    joins = {
        "aggregate": aggregate("join"),
        "aggregate_of_1": aggregate("join", required=1),
        "partial_task": node("join", allow_partial_upstream=True),
    }
    ends = {}
    for name, join in joins.items():
        bench = Bench(route=lambda _: "right")
        wf = graph("start>route route>left:left route>right:right left>join right>join join>end", switch("route"), join)
        _, error = play(bench.tried(wf))
        whole = error is None and bench.order == ["start", "route", "right", "join", "end"]
        ends[name] = "ran" if whole else f"the run {said(error)}"
        claim.fact(name, ends[name])
        claim.fact(f"{name}_received", bench.given("join"))
    works = ", ".join(name.replace("_", " ") for name, end in ends.items() if end == "ran")
    claim.true(ends["aggregate"] == "ran", f"{ends['aggregate']} (runs as: {works or 'nothing else'})")
    claim.note("the join ran with one of its two branches")


if __name__ == "__main__":
    run(__file__, main)
