# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "child-concurrency-ancestor"
# claim = "a child that is given an ancestor's concurrency manager is refused, and does not dead-lock"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The parent's node holds the manager's only slot while its child waits for one: the old dead-lock. The wiring must be
refused with ValueError at once, for a child and for a child's child. What becomes of a path that no child has is a
fact.
"""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, graph, node, play, run, said, subgraph, terminal


def main(claim: Claim) -> None:
    from loopgraph.concurrency import SemaphorePolicy

    inner = graph("deep>last", node("deep"), terminal("last"))
    child = graph("first>inner inner>out", node("first"), subgraph("inner", inner), terminal("out"))
    wf = graph("before>sub sub>after", node("before"), subgraph("sub", child))

    async def scene(path: str) -> dict[str, Any]:
        manager = SemaphorePolicy(limit=1)
        other = manager if path != "nowhere" else SemaphorePolicy(limit=1)
        bench = Bench(manager=manager, options={"child_concurrency": {path: other}})
        _, error = await bench.tried(wf)
        return {"end": said(error), "ran": bench.order}

    seen = {path: play(scene(path), 5) for path in ("sub", "sub/inner", "nowhere")}
    claim.fact("seen", seen)
    claim.true("ValueError" in seen["sub"]["end"], f"the child: {seen['sub']['end']}")
    claim.true("ValueError" in seen["sub/inner"]["end"], f"the child's child: {seen['sub/inner']['end']}")
    claim.true("first" not in seen["sub"]["ran"], "a handler of the child ran under the parent's manager")
    claim.true("deep" not in seen["sub/inner"]["ran"], "a handler of the child's child ran under the root's manager")
    claim.note(f"the child {seen['sub']['end']}")


if __name__ == "__main__":
    run(__file__, main)
