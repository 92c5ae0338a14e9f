# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "no-entry"
# claim = "a graph without an entry node fails fast with ValueError"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The graph is that of the README's quickstart. Its back edge leads to its first node, so every node has an upstream
node. No handler may run. 0.2.0 finds no ready node and raises RuntimeError.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, node, play, run, said, switch


def main(claim: Claim) -> None:
    wf = graph("agent>router router>agent:agent router>end:end", node("agent"), switch("router"))
    bench = Bench(router=lambda _: "end")
    _, error = play(bench.tried(wf))
    claim.equal("calls", bench.order, [])
    claim.true(type(error) is ValueError and "entry" in str(error), f"the run {said(error)}")
    claim.note(f"the run {said(error)}")


if __name__ == "__main__":
    run(__file__, main)
