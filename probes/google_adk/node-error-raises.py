# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "node-error-raises"
# claim = "an exception in a node, nested or not, reaches the caller of the runner, and no node after it runs"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The exception has a type and a text of its own, and both must reach the caller. A run that ends without an exception
looks like success.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


class LoopExhausted(Exception):
    pass


def outcome(nested: bool) -> list:
    ran = []

    def failing():
        raise LoopExhausted("loop 'review' made 3 passes without approval")

    def after():
        ran.append("after")

    inner = graph(("START", failing), name="inner") if nested else failing
    try:
        play(Bench(graph(("START", inner, after))).turn())
    except Exception as error:
        return [type(error).__name__, str(error), ran]
    return ["no exception", "", ran]


def main(claim: Claim) -> None:
    seen = {"flat": outcome(nested=False), "nested": outcome(nested=True)}
    claim.fact("seen", seen)
    expected = ["LoopExhausted", "loop 'review' made 3 passes without approval", []]
    claim.equal("what reached the caller, and which nodes ran after", seen, dict.fromkeys(seen, expected))
    claim.note("the caller receives the exception as it was raised")


if __name__ == "__main__":
    run(__file__, main)
