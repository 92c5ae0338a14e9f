# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "retry-zero-attempts"
# claim = "a node with RetryConfig(max_attempts=0) is tried once, as its documentation says"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.workflow:FunctionNode",
#   "google.adk.workflow:RetryConfig",
# ]
# timeout = 30
# ///
"""The node fails each time. "If 0 or 1, it means no retries", says the field: a node that pays or sends must not do so
five times. What 1, 2 and none make of it are facts.
"""

from __future__ import annotations

from typing import Any, Optional

from _kit import Bench, Claim, Refuted, graph, play, run


def attempts(limit: Optional[int]) -> dict[str, Any]:
    from google.adk.workflow import FunctionNode, RetryConfig

    tried: list[int] = []

    def fails():
        tried.append(1)
        raise ValueError("no luck")

    # Some releases take a delay of 0 for none given, and wait a second.
    config = RetryConfig(max_attempts=limit, initial_delay=0.001, jitter=0.0)
    raised = None
    try:
        play(Bench(graph(("START", FunctionNode(func=fails, retry_config=config)))).turn(bound=60))
    except Refuted:
        raise
    except Exception as error:
        raised = type(error).__name__
    return {"attempts": len(tried), "raised": raised}


def main(claim: Claim) -> None:
    with claim.attempt("building and running a node that fails"):
        seen = {str(limit): attempts(limit) for limit in (0, 1, 2, None)}
    claim.fact("by_max_attempts", seen)
    claim.equal("attempts under 2", seen["2"]["attempts"], 2)
    # Some releases write ``max_attempts or 5``, which takes 0 for none given.
    claim.equal("attempts under 0", seen["0"]["attempts"], 1)
    claim.equal("what reached the caller", seen["0"]["raised"], "ValueError")
    claim.note("one attempt under 0, two under 2")


if __name__ == "__main__":
    run(__file__, main)
