# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "child-two-terminals-run"
# claim = "a run refuses a child with two TERMINALs before any of its nodes, without validate()"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The child leaves by one TERMINAL or by another. Nobody calls ``validate()``. A handler of the child that runs has
done its work in a child whose end is not what its author drew.

What ``validate()`` says is a fact, and so is how the run ends, and what it runs.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, node, play, run, said, subgraph, terminal


def main(claim: Claim) -> None:
    child = graph("first>slow slow>last first>other", terminal("last"), terminal("other"))
    wf = graph("before>sub sub>after", node("before"), subgraph("sub", child))
    try:
        wf.validate()
        claim.fact("validate", "not refused")
    except ValueError as error:
        claim.fact("validate", said(error))
    bench = Bench(capacity=2)
    results, error = play(bench.tried(wf))
    claim.fact("run", {"end": said(error), "ran": bench.order, "results": results})
    # The scheduler looks for the first TERMINAL of the definition, and at no other rule of the shape.
    claim.true(error is not None, f"the run {said(error)}, with {', '.join(bench.order)}")
    inside = [name for name in bench.order if name != "before"]
    claim.equal("handlers that ran but the one before the child", inside, [])
    claim.note(f"the run {said(error)}, before any node of the child")


if __name__ == "__main__":
    run(__file__, main)
