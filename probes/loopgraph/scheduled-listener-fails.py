# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "scheduled-listener-fails"
# claim = "a listener that fails on NODE_SCHEDULED leaves the node FAILED, and its handler does not run"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""There is no on_error, so nothing but the listener fails. The README: such a failure "is persisted as a terminal
FAILED visit before the handler runs", and a resume does not try the node again.

How the run ends is a fact.
"""

from __future__ import annotations

import json
from typing import Any

from _kit import Bench, Claim, JsonStore, graph, play, run, said


async def scene() -> dict[str, Any]:
    async def listen(event: Any) -> None:
        if (event.node_id, event.type.name) == ("second", "NODE_SCHEDULED"):
            raise ValueError("the listener's own trouble")

    store, wf = JsonStore(), graph("first>second second>third")
    bench = Bench(store=store)
    bench.bus.subscribe(None, listen)
    _, error = await bench.tried(wf)
    states = json.loads(store.texts["g"])["states"]
    seen = {"end": said(error), "ran": bench.order, "second_is": states.get("second", {}).get("status")}
    again = Bench(store=store)
    _, error = await again.tried(wf)
    return {**seen, "resume_ran": again.order, "resume_end": said(error)}


def main(claim: Claim) -> None:
    seen = play(scene())
    claim.fact("seen", seen)
    claim.equal("handlers that ran", seen["ran"], ["first"])
    claim.equal("what the snapshot says of the node", seen["second_is"], "failed")
    claim.true("second" not in seen["resume_ran"], f"the resume ran {', '.join(seen['resume_ran'])}")
    claim.note(f"FAILED before its handler ran; the run {seen['end']}")


if __name__ == "__main__":
    run(__file__, main)
