# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "join-in-cycle"
# claim = "a join inside a cycle waits for all its branches again in each pass"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.workflow:JoinNode",
# ]
# timeout = 30
# ///
"""Two branches, of which the second is slower, meet in a ``JoinNode`` in each of three passes. The probe tries one node
in each branch, and two nodes in the slower branch. In each pass, the join must pass on both branches' values of that
pass, once. A join that counts a branch of an earlier pass fires early, with a stale value.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run, turns

SLOW = 500
"""Turns of the event loop that a slow node takes: many times what the engine needs for a quick one."""


def joined_by_pass(long: bool) -> list:
    from google.adk.events import Event
    from google.adk.workflow import JoinNode

    joined, passes = [], []

    def begin():
        passes.append(1)
        return len(passes)

    def quick(node_input):
        return f"quick {node_input}"

    async def detour(node_input):
        await turns(SLOW)
        return node_input

    async def slow(node_input):
        await turns(SLOW)
        return f"slow {node_input}"

    def router(node_input):
        joined.append(dict(sorted(node_input.items())))
        return Event(route="PASS" if len(joined) >= 3 else "REVISE", output="again")

    def publish():
        pass

    join = JoinNode(name="join")
    slower = [(begin, detour, slow), (slow, join)] if long else [(begin, slow), (slow, join)]
    edges = [("START", begin, quick, join, router), *slower, (router, {"REVISE": begin, "PASS": publish})]
    play(Bench(graph(*edges)).turn(bound=100))
    return joined


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        even, uneven = joined_by_pass(long=False), joined_by_pass(long=True)
    claim.fact("even_branches", even)
    claim.fact("uneven_branches", uneven)
    expected = [{"quick": f"quick {n}", "slow": f"slow {n}"} for n in (1, 2, 3)]
    claim.equal("what a join of even branches passed on", even, expected)
    # A join that only asks whether each predecessor has completed uses the longer branch's value of the last pass.
    claim.equal("what a join of uneven branches passed on", uneven, expected)
    claim.note("both values of the same pass, once in each of three passes, even if one branch is longer")


if __name__ == "__main__":
    run(__file__, main)
