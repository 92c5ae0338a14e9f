# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "subworkflow-depth"
# claim = "max_subworkflow_depth is inclusive: a child at that depth runs, one deeper is refused with RuntimeError"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Children three deep, under limits of 3 and 2. A limit that is no positive whole number must be refused when the
scheduler is made. Nobody calls ``validate()``, which looks for cycles and not at depth.
"""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, graph, node, play, run, said, subgraph, terminal


def nested(depth: int) -> Any:
    inner = graph("first>last", node("first"), terminal("last"))
    for number in range(depth - 1):
        inner = graph(f"in{number}>sub sub>last", node(f"in{number}"), subgraph("sub", inner), terminal("last"))
    return graph("before>sub", node("before"), subgraph("sub", inner))


def ending(limit: Any) -> dict[str, Any]:
    bench = Bench(options={"max_subworkflow_depth": limit})
    _, error = play(bench.tried(nested(3)))
    return {"end": said(error), "innermost_ran": "first" in bench.order}


def main(claim: Claim) -> None:
    nested(1)
    refused = {}
    for bad in (0, -1, True, 1.5, "2"):
        try:
            Bench(options={"max_subworkflow_depth": bad})
            refused[repr(bad)] = "not refused"
        except ValueError as error:
            refused[repr(bad)] = said(error)
    claim.fact("bad_limits", refused)
    seen = {limit: ending(limit) for limit in (3, 2)}
    claim.fact("three_deep_by_limit", seen)
    claim.true("without an error" in seen[3]["end"] and seen[3]["innermost_ran"], f"under 3: {seen[3]['end']}")
    claim.true("RuntimeError" in seen[2]["end"], f"under 2: {seen[2]['end']}")
    claim.true(not seen[2]["innermost_ran"], "under 2 the innermost child ran")
    claim.equal("bad limits that pass", [bad for bad, end in refused.items() if end == "not refused"], [])
    claim.note(f"3 deep runs under 3; under 2 it {seen[2]['end']}")


if __name__ == "__main__":
    run(__file__, main)
