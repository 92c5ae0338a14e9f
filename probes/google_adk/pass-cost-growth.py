# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "pass-cost-growth"
# claim = "in a cycle with stub models, none of 100 passes makes more than twice the function calls of the 5th"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 120
# ///
"""Calls of Python functions, from one call of the generator's model to the next, after a warm-up run. The cycle goes on
to the first pass that is over the limit, but at least to the 15th: whether passes 10 to 15 add more than passes 5 to
10 did is a fact.

True of 2.0.0, where a pass makes two calls more than the one before. On 2.9.0 and 2.13.0 each node that starts, and
each agent that puts its prompt together, looks at every event of the session so far (reconstruct_node_states, and
_is_branch_match of the invocation context), so a pass adds as many calls as the one before. On 2.5.0 each node that
starts also asks of every event by the user whether it is ``in`` the list of all events (get_events_for_rehydration of
the replay manager), which compares models by value: a pass adds more than the one before, and the hundredth costs
some twenty times the time of the first. 2.13.0 compares identities there and says why.
"""

from __future__ import annotations

from _kit import Bench, Calls, Claim, critic_schema, graph, llm, play, run, stub, undisturbed

PASSES = 100
EARLY = 5
LIMIT = 2
FASTER = 1.1


def calls_by_pass(passes: int) -> list:
    """Return the calls that each pass made, the first to the last or to the first one over the limit."""
    from google.adk.events import Event

    calls = Calls()
    drafts = stub(lambda count: f"draft {count}")
    verdicts = stub({"is_valid": False, "feedback": "again"})
    drafts.watch(calls.mark)

    def router():
        made = calls.stretches
        over = len(made) >= 3 * EARLY and made[-1] > LIMIT * made[EARLY - 1]
        return Event(route="PASS" if over or len(made) >= passes else "REVISE", output="again")

    def publish():
        calls.stop()

    generator, critic = llm("generator", drafts), llm("critic", verdicts, output_schema=critic_schema())
    wf = graph(("START", generator, critic, router), (router, {"REVISE": generator, "PASS": publish}))
    with undisturbed():
        play(Bench(wf).turn(bound=5000), seconds=90)
    # the last stretch ends with the node behind the cycle
    return calls.stretches[:-1]


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        calls_by_pass(3)
        made = calls_by_pass(PASSES)
    over = [number for number, calls in enumerate(made, 1) if calls > LIMIT * made[EARLY - 1]]
    claim.true(len(made) == PASSES or over, "the loop ended by itself")
    fifth, tenth, fifteenth = made[EARLY - 1], made[2 * EARLY - 1], made[3 * EARLY - 1]
    claim.fact("calls", {"pass 5": fifth, "pass 10": tenth, "pass 15": fifteenth})
    claim.fact("first_pass_over_the_limit", over[0] if over else None)
    faster = fifteenth - tenth > FASTER * (tenth - fifth)
    claim.fact("each_pass_adds_more_than_the_one_before", faster)
    growth = "more than" if faster else "as many as"
    claim.true(not over, f"a pass makes more than twice the calls of the 5th; every pass adds {growth} the one before")
    claim.note(f"none of {PASSES} passes makes more than twice the calls of the 5th")


if __name__ == "__main__":
    run(__file__, main)
