# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-pass-cost"
# claim = "1,000 passes of a loop make fewer than 5 million function calls, the last 100 at most twice the first 100's"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 120
# ///
"""Calls of Python functions, from each call of the generator to the next, after a warm-up of three passes; with a store
for snapshots, as a generated project has. The number of passes is checked, so a loop that ends early is not cheap. A
pass that goes through more and more inside of one built-in function would not show here, but what it goes through
would in ``loop-pass-memory``.

What a pass costs in CPU time is measured in a run of its own; no verdict hangs on it.
"""

from __future__ import annotations

import time

from _kit import Bench, Calls, Claim, loop, play, run, undisturbed

PASSES = 1000
STRETCH = 100
LIMIT = 5_000_000
GROWTH = 2


def passes_of(mark, passes):
    """Run a loop, and call ``mark`` as each pass begins; return how many passes there were."""
    from loopgraph.persistence import InMemorySnapshotStore

    made = []

    def gen(_):
        made.append(1)
        mark()
        return "draft"

    store = InMemorySnapshotStore()
    bench = Bench(store=store, listening=False, gen=gen, route=lambda _: "again" if len(made) < passes else "done")
    with undisturbed():
        play(bench.run(loop()), 60)
    return len(made)


def main(claim: Claim) -> None:
    calls, clock = Calls(), []
    with claim.attempt("running"):
        passes_of(lambda: None, 3)
        timed = passes_of(lambda: clock.append(time.process_time()), PASSES)
        clock.append(time.process_time())
        counted = passes_of(calls.mark, PASSES)
        calls.stop()
    claim.equal("passes", [timed, counted], [PASSES, PASSES])
    claim.measure("milliseconds_a_pass", round(1000 * (clock[-1] - clock[0]) / PASSES, 3))
    # the first pass comes from the start and the last goes to the end
    made = calls.stretches
    whole, first, last = sum(made), sum(made[1 : 1 + STRETCH]), sum(made[-1 - STRETCH : -1])
    claim.fact("calls", {"in all": whole, "first 100": first, "last 100": last})
    claim.true(whole < LIMIT, f"{PASSES} passes make {LIMIT:,} calls or more")
    claim.true(last <= GROWTH * first, "the last 100 passes make more than twice the calls of the first 100")
    claim.note(f"{PASSES} passes make fewer than {LIMIT:,} calls, the last 100 at most twice those of the first 100")


if __name__ == "__main__":
    run(__file__, main)
