# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "nested-loop-subgraph"
# claim = "a loop inside a loop runs as a SUBGRAPH, whose visits count from 1 again in each pass of the outer loop"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""max_visits=2 bounds the inner loop, which leaves by its exit edge. The outer loop makes two passes. If the inner
count is kept, or if the child's snapshot is reused, the second outer pass has no inner pass.
"""

from __future__ import annotations

from _kit import Bench, Claim, JsonStore, graph, node, play, run, subgraph, switch, terminal


def main(claim: Claim) -> None:
    inner = graph(
        "first>gen gen>more more>gen:again more>last:exit",
        node("gen", allow_partial_upstream=True, max_visits=2),
        switch("more"),
        terminal("last"),
    )
    wf = graph(
        "start>sub sub>route route>sub:again route>out:done",
        subgraph("sub", inner, allow_partial_upstream=True),
        switch("route"),
    )
    store = JsonStore()
    ways = ["again", "done"]
    bench = Bench(store=store, more=lambda _: "again", route=lambda _: ways[bench.order.count("route") - 1])
    with claim.attempt("running"):
        wf.validate()
        play(bench.run(wf))
    body = ["first", *["gen", "more"] * 2, "last", "route"]
    claim.equal("the calls", bench.order, ["start", *body * 2, "out"])
    claim.equal("runs in the store", sorted(store.texts), ["g", "g/sub@1", "g/sub@2"])
    claim.note("2 inner passes in each of 2 outer passes")


if __name__ == "__main__":
    run(__file__, main)
