# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "version-suffix-bare"
# claim = "with child graphs or a namespace, a bare handler name with an @version suffix is refused as reserved"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The README says: "The name@version suffix is reserved ...: referencing it in a workflow that uses sub-workflows or
declares a namespace fails with a reservation error". This probe tests a name without a publisher.

False in 0.5.1 in a graph with a child graph: only names with a slash are checked (Graph._validate_handler_grammar).
With a namespace the name is refused, but because it cannot be qualified.
"""

from __future__ import annotations

from _kit import Bench, Claim, Refuted, graph, node, play, run, said, subgraph, terminal


def main(claim: Claim) -> None:
    from loopgraph.core.graph import Graph

    child = graph("x>last", node("x", handler="clean@2"), terminal("last"))
    wf = graph("before>sub", subgraph("sub", child))
    try:
        Graph(nodes={"x": node("x", handler="clean@2")}, namespace="acme.etl")
    except ValueError as error:
        claim.fact("under_a_namespace", said(error))
    else:
        claim.fact("under_a_namespace", "accepted")
    try:
        wf.validate()
    except ValueError as error:
        claim.true("reserved" in str(error), f"validate() {said(error)}")
        claim.note(f"validate() {said(error)}")
        return
    bench = Bench()
    _, error = play(bench.tried(wf))
    raise Refuted(
        "in a graph with a child graph validate() accepts the handler clean@2"
        + (", and it runs" if error is None and "clean@2" in bench.order else f", but the run {said(error)}")
    )


if __name__ == "__main__":
    run(__file__, main)
