# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "event-log-unknown-id"
# claim = "an event log that raises LookupError for an unknown run counts as empty, and the run starts"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A backend may know nothing of a new run and say so by ``KeyError``, at the call or at the first item. Event ids must
start at 1 all the same. Whether the log was asked at all is a fact.
"""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, graph, play, run, said


class Log:
    """An event log whose look-up fails for every run."""

    def __init__(self) -> None:
        self.events: list = []
        self.asked = 0

    def append(self, event: Any) -> None:
        self.events.append(event)

    def iter(self, graph_id: str) -> Any:
        self.asked += 1
        if self.at_once:
            raise KeyError(graph_id)
        return self._items(graph_id)

    def _items(self, graph_id: str) -> Any:
        raise KeyError(graph_id)
        yield None

    at_once = True


def main(claim: Claim) -> None:
    seen = {}
    for name, at_once in (("at_the_call", True), ("at_the_first_item", False)):
        log = Log()
        log.at_once = at_once
        bench = Bench(log=log)
        _, error = play(bench.tried(graph("first>second")))
        ids = [event.id for event in log.events]
        seen[name] = {"end": said(error), "first_id": ids[0] if ids else None, "asked": log.asked}
    claim.fact("seen", seen)
    for name, item in seen.items():
        claim.true("without an error" in item["end"], f"{name.replace('_', ' ')}: the run {item['end']}")
        claim.equal(f"the first event id, {name.replace('_', ' ')}", item["first_id"], "first-1")
    claim.note("the run starts with the first id, wherever the look-up fails")


if __name__ == "__main__":
    run(__file__, main)
