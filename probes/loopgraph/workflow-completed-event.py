# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "workflow-completed-event"
# claim = "a run that ends without an error emits WORKFLOW_COMPLETED"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""EventType declares the event. A listener to all events and a log must each receive it once, as the last event.

False in every release so far: the scheduler never emits such an event.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


def main(claim: Claim) -> None:
    from loopgraph.persistence import InMemoryEventLog

    log = InMemoryEventLog()
    bench = Bench(log=log)
    with claim.attempt("running"):
        play(bench.run(graph("a>b")))
    heard, logged = [[event.type.name for event in source] for source in (bench.events, log.iter("g"))]
    claim.equal("what the log has", logged, heard)
    claim.fact("events", heard)
    count = heard.count("WORKFLOW_COMPLETED")
    claim.true(count == 1 and heard[-1] == "WORKFLOW_COMPLETED", f"it came {count} times, and {heard[-1]} was last")
    claim.note("it came once, as the last event")


if __name__ == "__main__":
    run(__file__, main)
