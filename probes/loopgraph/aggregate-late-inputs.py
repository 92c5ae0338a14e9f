# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "aggregate-late-inputs"
# claim = "an input that completes after an AGGREGATE has fired neither fires it again nor fails the run"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Two inputs are one step away, and the third is four steps away. The merge must fire once with the two, the late node
must run, and the run must end without an error.

False before 0.4: any edge into a completed node resets the node for re-entry, so after the late input the merge waits
for a second one that never comes.
"""

from __future__ import annotations

from _kit import Bench, Claim, aggregate, graph, play, run, said

# Before 0.3 the order of nodes depends on the hashes of their names, so several sets of names are tried.
TAGS = ("", "n", "node-", "step_", "x", "zz")


def main(claim: Claim) -> None:
    ends, runs = [], []
    for tag in TAGS:
        src, a, b, x, y, z, c, m, end = (tag + name for name in ("src", "a", "b", "x", "y", "z", "c", "m", "end"))
        wf = graph(
            f"{src}>{a} {src}>{b} {src}>{x} {x}>{y} {y}>{z} {z}>{c} {a}>{m} {b}>{m} {c}>{m} {m}>{end}",
            aggregate(m, required=2),
        )
        bench = Bench()
        _, error = play(bench.tried(wf))
        ends.append(said(error))
        runs.append((bench.given(m) == [[a, b]], bench.order.count(c), bench.order.count(end)))
    errors = sorted({end for end in ends if "without" not in end})
    claim.true(not errors, f"after the late input the run {''.join(errors[:1])}")
    claim.true(all(fired for fired, _, _ in runs), "it did not fire exactly once with its first two inputs")
    claim.equal("runs of the late node and of the node after the merge", set(runs), {(True, 1, 1)})
    claim.note("fired once with its first two inputs; the third came later and changed nothing")


if __name__ == "__main__":
    run(__file__, main)
