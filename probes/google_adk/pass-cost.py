# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "pass-cost"
# claim = "50 passes through a model-free cycle make fewer than a million function calls"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 120
# ///
"""20,000 calls of Python functions a pass are some milliseconds: little beside a model. The number of passes is
checked, so a cycle that ends early is not cheap. What the passes cost in CPU time, garbage collection off, is measured
in a run of its own, for counting takes time; no verdict hangs on it, since it doubles on a machine with other work.
"""

from __future__ import annotations

import time

from _kit import Bench, Calls, Claim, graph, play, run, undisturbed

PASSES = 50
LIMIT = 1_000_000


def cycle(claim: Claim, passes: int) -> None:
    """Run a cycle to its end."""
    from google.adk.events import Event

    made = []

    def generator():
        made.append(1)
        return "draft"

    def router():
        return Event(route="PASS" if len(made) >= passes else "REVISE", output="again")

    def publish():
        pass

    bench = Bench(graph(("START", generator, router), (router, {"REVISE": generator, "PASS": publish})))
    play(bench.turn(bound=5000), seconds=90)
    claim.equal("passes", len(made), passes)


def main(claim: Claim) -> None:
    calls = Calls()
    with claim.attempt("running"):
        cycle(claim, 3)
        with undisturbed():
            started = time.process_time()
            cycle(claim, PASSES)
            spent = time.process_time() - started
        with undisturbed():
            calls.mark()
            cycle(claim, PASSES)
            calls.stop()
    claim.measure("milliseconds_a_pass", round(1000 * spent / PASSES, 3))
    claim.measure("cpu_seconds", round(spent, 3))
    claim.fact("calls", sum(calls.stretches))
    claim.true(sum(calls.stretches) < LIMIT, f"{PASSES} passes make {LIMIT:,} calls or more")
    claim.note(f"{PASSES} passes make fewer than {LIMIT:,} calls")


if __name__ == "__main__":
    run(__file__, main)
