# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "join-by-name"
# claim = "a JoinNode passes on a dict of its predecessors' outputs, keyed by their names"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.workflow:JoinNode",
# ]
# timeout = 30
# ///
"""One branch is a function and one is an ``LlmAgent``. A list, another key or a missing branch makes a difference."""

from __future__ import annotations

from _kit import Bench, Claim, graph, llm, plain, play, run, stub


def main(claim: Claim) -> None:
    from google.adk.workflow import JoinNode

    received = []

    def left():
        return 1

    def after(node_input):
        received.append({name: plain(value) for name, value in sorted(node_input.items())})

    join = JoinNode(name="join")
    with claim.attempt("running"):
        play(Bench(graph(("START", (left, llm("right", stub("draft"))), join, after))).turn())
    claim.equal("what the node after the join received", received, [{"left": 1, "right": "draft"}])
    claim.note("a dict of both outputs by node name")


if __name__ == "__main__":
    run(__file__, main)
