# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "listener-error-logged"
# claim = "a listener that raises and has no on_error is logged as a warning, and the run goes on"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A failure that nobody hears of is a hole in whatever the listener keeps. One warning an event must be logged, and
the run must end as if nobody listened.
"""

from __future__ import annotations

import logging
from typing import Any

from _kit import Bench, Claim, graph, play, run, said


class Ear(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


async def listen(event: Any) -> None:  # noqa: ARG001
    raise KeyError("the listener's own trouble")


def main(claim: Claim) -> None:
    bench, ear = Bench(), Ear()
    bench.bus.subscribe(None, listen)
    logging.getLogger().addHandler(ear)
    try:
        _, error = play(bench.tried(graph("first>second")))
    finally:
        logging.getLogger().removeHandler(ear)
    told = [line for line in ear.lines if "the listener's own trouble" in line]
    claim.fact("warnings", len(told))
    claim.true(error is None, f"the run {said(error)}")
    claim.equal("handlers that ran", bench.order, ["first", "second"])
    # The first releases gather what listeners return and look at none of it.
    claim.equal("warnings about the listener", len(told), len(bench.events))
    claim.note(f"{len(told)} events, a warning each, and the run ended well")


if __name__ == "__main__":
    run(__file__, main)
