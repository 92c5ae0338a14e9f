# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "overlapping-loops-construction"
# claim = "the construction of a graph refuses overlapping loops that share a node"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The README says: "the engine validates your graph at construction time; overlapping loops that share nodes are
rejected before anything runs".

False in every release so far: Graph.__post_init__ only builds its indices. The check is in validate(), which neither
the constructor nor the scheduler calls. A fact records how far such a graph runs without validation.
"""

from __future__ import annotations

from _kit import Bench, Claim, Refuted, graph, node, play, run, said, switch


def two_loops():
    """Return a graph in which two loops share their first node and their switch."""
    return graph(
        "start>gen gen>route route>left:left route>right:right left>gen right>gen route>out:done",
        node("gen", allow_partial_upstream=True),
        switch("route"),
    )


def main(claim: Claim) -> None:
    try:
        wf = two_loops()
    except ValueError as error:
        claim.true("shared nodes" in str(error), f"the graph was refused for another reason: {said(error)}")
        claim.note(f"the constructor {said(error)}")
        return
    ways = ["left", "right", "done"]
    bench = Bench(route=lambda _: ways[bench.order.count("route") - 1])
    _, error = play(bench.tried(wf))
    claim.fact("an_unvalidated_run", said(error))
    claim.fact("its_calls", bench.order)
    refused = error is not None and "shared nodes" in str(error)
    raise Refuted("the constructor accepts them" + (", but the run does not" if refused else ", and a run starts"))


if __name__ == "__main__":
    run(__file__, main)
