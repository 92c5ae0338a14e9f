# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "partial-upstream-input"
# claim = "a node that may start on partial input runs once, with the result of the input that made it ready"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The node has two upstream nodes. The one that its edges name first is four steps away, and the other is one step
away. The node must receive the near one's result, and the far one must not start it again later.

False before 0.4: the input is always the result of the upstream node that is named first, or None if there is no result
yet. Any later input resets the node and runs it again.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, node, play, run

# Before 0.3 the order of nodes depends on the hashes of their names, so several sets of names are tried.
TAGS = ("", "n", "node-", "step_", "x", "zz")


def main(claim: Claim) -> None:
    received, counts = [], []
    for tag in TAGS:
        src, x, y, z, far, near, p = (tag + name for name in ("src", "x", "y", "z", "far", "near", "p"))
        wf = graph(
            f"{src}>{x} {x}>{y} {y}>{z} {z}>{far} {src}>{near} {far}>{p} {near}>{p}",
            node(p, allow_partial_upstream=True),
        )
        bench = Bench(capacity=2)
        with claim.attempt("running"):
            play(bench.run(wf))
        came_first = min((far, near), key=bench.order.index)
        received.append(bench.given(p)[0] if bench.given(p)[0] != came_first else "right")
        counts.append(len(bench.given(p)))
    claim.true(None not in received, "it received None instead of the result of the input that made it ready")
    claim.equal("what it received", set(received), {"right"})
    claim.equal("number of its runs", set(counts), {1})
    claim.note("ran once, with the result of the input that came first")


if __name__ == "__main__":
    run(__file__, main)
