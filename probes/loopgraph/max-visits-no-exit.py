# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "max-visits-no-exit"
# claim = "at the bound of max_visits, a loop without an exit edge stops with an error instead of ending as if complete"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The switch always returns "again". The probe tries it with another way out of the switch, whose route is not
``exit``, and without one.

In 0.2.0, a switch without a target selects no edge. With another way out, the node behind it waits forever and the
scheduler gives up; without one, the run returns as if it were complete. Later releases raise a ValueError about an
unmatched route, although the route matches an edge whose target is exhausted.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, loop, node, play, run, said, switch


def main(claim: Claim) -> None:
    graphs = {
        "another way out": loop("done", max_visits=3),
        "no other way out": graph(
            "start>gen gen>route route>gen:again",
            node("gen", allow_partial_upstream=True, max_visits=3),
            switch("route"),
        ),
    }
    ends = {}
    for name, wf in graphs.items():
        bench = Bench(route=lambda _: "again")
        _, error = play(bench.tried(wf))
        claim.equal(f"passes with {name}", bench.order.count("gen"), 3)
        claim.true("out" not in bench.order, "the node behind the other route ran")
        ends[name] = said(error)
        claim.fact(name.replace(" ", "_"), said(error))
    for name, end in ends.items():
        claim.true("without" not in end, f"with {name} the run {end} after 3 passes")
    claim.note(f"after 3 passes the run {ends['another way out']}")


if __name__ == "__main__":
    run(__file__, main)
