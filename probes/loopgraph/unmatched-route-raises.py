# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "unmatched-route-raises"
# claim = "a route that matches no edge, without an exit edge as a fallback, raises ValueError"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""With an exit edge, the same route must take that edge. In 0.2.0, an unmatched route selects no edge, which is not an
error of its own: the nodes behind the switch stay pending, and the scheduler gives up with RuntimeError.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run, said, switch


def main(claim: Claim) -> None:
    bench = Bench(route=lambda _: "nowhere")
    _, error = play(bench.tried(graph("start>route route>known:known", switch("route"))))
    claim.equal("calls", bench.order, ["start", "route"])
    claim.true(type(error) is ValueError and "'nowhere'" in str(error), f"the run {said(error)}")
    fallback = Bench(route=lambda _: "nowhere")
    with claim.attempt("falling back on the exit edge"):
        play(fallback.run(graph("start>route route>known:known route>out:exit", switch("route"))))
    claim.equal("calls with an exit edge", fallback.order, ["start", "route", "out"])
    claim.note(f"the run {said(error)}; with an exit edge, it takes that edge")


if __name__ == "__main__":
    run(__file__, main)
