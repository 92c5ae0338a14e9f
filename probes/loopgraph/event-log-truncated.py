# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "event-log-truncated"
# claim = "an event log that raises LookupError after an event stops the run: its last id is unknowable"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A log that breaks off in the middle hides the highest id. A run that counts on from what it saw would give ids a
second time, so the LookupError must reach the caller before any handler runs. A log that is read to its end must be
gone on from.
"""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, graph, play, run, said


class Log:
    """An event log whose look-up fails after its first event, where it is told to."""

    def __init__(self) -> None:
        self.events: list = []
        self.asked = 0

    def append(self, event: Any) -> None:
        self.events.append(event)

    def iter(self, graph_id: str) -> Any:
        self.asked += 1
        for event in list(self.events):
            yield event
            if self.breaks:
                raise KeyError(graph_id)

    breaks = False


def main(claim: Claim) -> None:
    log = Log()
    _, error = play(Bench(log=log).tried(graph("first>second")))
    claim.true(error is None, f"the first run {said(error)}")
    before = [event.id for event in log.events]
    _, error = play(Bench(log=log).tried(graph("first>second")))
    going_on = [event.id for event in log.events[len(before) :]]
    log.breaks = True
    bench = Bench(log=log)
    _, broken = play(bench.tried(graph("first>second")))
    claim.fact("ids", {"first_run": before, "second_run": going_on})
    claim.fact("a_log_that_breaks_off", {"end": said(broken), "ran": bench.order, "asked": log.asked})
    # Before 0.5 a scheduler does not ask its log.
    claim.true(not set(before) & set(going_on), f"ids given a second time: {sorted(set(before) & set(going_on))}")
    claim.true(isinstance(broken, LookupError), f"a log that breaks off: the run {said(broken)}")
    claim.equal("handlers that ran", bench.order, [])
    claim.note("a log read to its end is gone on from, one that breaks off stops the run")


if __name__ == "__main__":
    run(__file__, main)
