# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "pass-cost-growth"
# claim = "in a cycle with stub models, passes 76-100 cost no more than twice what passes 1-25 cost"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 120
# ///
"""CPU time of this process is read at each call of the generator, garbage collection off, after a warm-up run.

A run whose every pass looks through all earlier events grows linearly by pass, to about seven times. What is far
over the limit is cut off, what is near it is run again: the cheapest run is the one that the machine disturbed least.
"""

from __future__ import annotations

import gc
import time

from _kit import Bench, Claim, Refuted, critic_schema, graph, llm, play, run, stub

PASSES = 100
STRETCH = 25
LIMIT = 2
RUNS = 3


def far_over(clock: list) -> bool:
    """Tell whether the last stretch, as far as it got, already cost many times the first."""
    last = clock[PASSES - STRETCH :]
    return len(last) > 1 and last[-1] - last[0] > 6 * (clock[STRETCH] - clock[0])


def clock_by_pass(passes: int) -> list:
    """Return the CPU clock at the start of each pass and at the end of the last."""
    from google.adk.events import Event

    drafts = stub(lambda count: f"draft {count}")
    verdicts = stub({"is_valid": False, "feedback": "again"})
    clock = []
    drafts.watch(lambda: clock.append(time.process_time()))

    def router():
        if len(clock) < passes and not far_over(clock):
            return Event(route="REVISE", output="again")
        clock.append(time.process_time())
        return Event(route="PASS", output="draft")

    def publish():
        pass

    generator, critic = llm("generator", drafts), llm("critic", verdicts, output_schema=critic_schema())
    wf = graph(("START", generator, critic, router), (router, {"REVISE": generator, "PASS": publish}))
    gc.collect()
    gc.disable()
    try:
        play(Bench(wf).turn(bound=5000), seconds=90)
    finally:
        gc.enable()
    return clock


def main(claim: Claim) -> None:
    first, last = [], []
    with claim.attempt("running"):
        clock_by_pass(3)
        for _ in range(RUNS):
            clock = clock_by_pass(PASSES)
            first.append(clock[STRETCH] - clock[0])
            last.append(clock[-1] - clock[PASSES - STRETCH])
            cut_off = len(clock) <= PASSES
            if cut_off and not far_over(clock):
                raise Refuted(f"the loop ended by itself before pass {PASSES}")
            ratio = min(last) / min(first)
            if cut_off or not 0.75 * LIMIT < ratio < 1.5 * LIMIT:
                break
    claim.measure("milliseconds_a_pass_first_25", round(1000 * min(first) / STRETCH, 3))
    claim.measure("milliseconds_a_pass_last_25", round(1000 * min(last) / (len(clock) - 1 - PASSES + STRETCH), 3))
    claim.measure("ratio", round(ratio, 2))
    claim.measure("cut_off", cut_off)
    if ratio > LIMIT:
        raise Refuted("passes 76-100 cost more than twice what passes 1-25 cost")
    claim.note("passes 76-100 cost at most twice what passes 1-25 cost")


if __name__ == "__main__":
    run(__file__, main)
