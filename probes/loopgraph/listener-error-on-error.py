# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "listener-error-on-error"
# claim = "a listener that raises reaches on_error with its exception and event, and the run goes on"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""One listener fails at every event, another hears them all. on_error must be called once an event with that
listener's own exception, the other listener must miss nothing, and the run must end as if nobody listened.

What becomes of the exception without on_error is a fact: that it is logged as a warning, or lost.
"""

from __future__ import annotations

import logging
from typing import Any

from _kit import Bench, Claim, graph, play, run, said


class ListenerBroken(Exception):
    pass


class Ear(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.levelname)


async def listen(event: Any) -> None:
    raise ListenerBroken(event.type.name)


def ran(on_error: Any) -> tuple[Bench, Any, int]:
    bench, ear = Bench(on_error=on_error), Ear()
    bench.bus.subscribe(None, listen)
    logging.getLogger().addHandler(ear)
    try:
        _, error = play(bench.tried(graph("first>second")))
    finally:
        logging.getLogger().removeHandler(ear)
    return bench, error, len(ear.lines)


def main(claim: Claim) -> None:
    routed: list = []

    async def on_error(error: Exception, event: Any) -> None:
        routed.append([type(error).__name__, str(error), event.type.name])

    bench, error, _ = ran(on_error)
    heard = [event.type.name for event in bench.events]
    claim.fact("routed", routed)
    claim.true(error is None, f"the run {said(error)}")
    claim.equal("handlers that ran", bench.order, ["first", "second"])
    claim.equal("what reached on_error", routed, [["ListenerBroken", name, name] for name in heard])
    claim.true(len(heard) >= 4, f"the other listener heard only {heard}")
    _, error, warned = ran(None)
    claim.fact("without_on_error", {"end": said(error), "warnings_logged": warned})
    claim.note(f"{len(routed)} events, each routed to on_error once, and the run ended well")


if __name__ == "__main__":
    run(__file__, main)
