# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "event-order"
# claim = "every visit of a node emits NODE_SCHEDULED, then NODE_COMPLETED or NODE_FAILED, in order"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A loop of two passes, after which the last node fails. The probe compares the events on the bus and in the log, and
their order relative to the handler calls.
"""

from __future__ import annotations

from _kit import Bench, Claim, loop, play, run, said


def main(claim: Claim) -> None:
    from loopgraph.persistence import InMemoryEventLog

    def out(_):
        raise RuntimeError("boom")

    log = InMemoryEventLog()
    bench = Bench(log=log, out=out, route=lambda _: "again" if bench.order.count("gen") < 2 else "done")
    _, error = play(bench.tried(loop()))
    claim.true(str(error) == "boom", f"the run {said(error)}")
    heard, logged = [
        [f"{event.node_id} {event.type.name.lower()} {event.status.name.lower()}" for event in source]
        for source in (bench.events, log.iter("g"))
    ]
    visits = ["start", "gen", "route", "gen", "route"]
    expected = [f"{name} {step}" for name in visits for step in ("node_scheduled running", "node_completed completed")]
    claim.equal("events", heard, [*expected, "out node_scheduled running", "out node_failed failed"])
    claim.equal("what the log has", logged, heard)
    claim.equal("the failure's payload", bench.events[-1].payload, {"error": "boom"})
    visits = [event.visit_count for event in bench.events[1::2]]
    claim.equal("visits in the completed events", visits, [1, 1, 1, 2, 2, None])
    claim.note("scheduled, then completed, on each of 5 visits; scheduled, then failed, on the last")


if __name__ == "__main__":
    run(__file__, main)
