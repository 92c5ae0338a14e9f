# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "overlapping-loops-validate"
# claim = "validate() refuses overlapping loops that share a node, and names the shared nodes"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A graph with only one of the loops must pass, to show that the second loop is the reason for the refusal."""

from __future__ import annotations

from _kit import Claim, Refuted, graph, loop, node, run, said, switch


def two_loops():
    """Return a graph in which two loops share their first node and their switch."""
    return graph(
        "start>gen gen>route route>left:left route>right:right left>gen right>gen route>out:done",
        node("gen", allow_partial_upstream=True),
        switch("route"),
    )


def main(claim: Claim) -> None:
    with claim.attempt("validating one loop"):
        loop().validate()
    wf = two_loops()
    try:
        wf.validate()
    except ValueError as error:
        claim.true("shared nodes: ['gen', 'route']" in str(error), f"validate() {said(error)}")
        claim.note(f"validate() {said(error)}")
        return
    raise Refuted("validate() accepts them")


if __name__ == "__main__":
    run(__file__, main)
