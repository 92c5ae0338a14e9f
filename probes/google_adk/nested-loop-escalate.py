# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "nested-loop-escalate"
# claim = "an escalate inside an inner LoopAgent ends only that loop"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.tools:exit_loop",
# ]
# timeout = 30
# ///
"""An outer loop of two passes runs an inner loop of at most five passes, and then a closing agent. The critic ends the
inner loop in its second pass. If the escalate also reaches the outer loop, there are two drafts and at most one
closing. If it is lost, there are ten drafts.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, llm, play, run, stub, texts


def main(claim: Claim) -> None:
    from google.adk.agents import LoopAgent
    from google.adk.tools import exit_loop

    drafts = stub(lambda count: f"draft {count}")
    # If the tool's result goes back to the model, there is one more call; its answer must not change anything.
    verdicts = stub("not yet", call("exit_loop"), "not yet", call("exit_loop"), "not yet")
    closing = stub("closed")
    with claim.attempt("running"):
        inner = LoopAgent(
            name="inner",
            sub_agents=[llm("generator", drafts), llm("critic", verdicts, tools=[exit_loop])],
            max_iterations=5,
        )
        outer = LoopAgent(name="outer", sub_agents=[inner, llm("closer", closing)], max_iterations=2)
        events = play(Bench(outer).turn(bound=80))
    claim.fact("said", texts(events))
    # The inner loop passes the escalating event on unchanged, and the outer loop reads it again.
    claim.equal("drafts and closings", [len(drafts.requests), len(closing.requests)], [4, 2])
    claim.note("4 drafts and 2 closings: the outer loop continued")


if __name__ == "__main__":
    run(__file__, main)
