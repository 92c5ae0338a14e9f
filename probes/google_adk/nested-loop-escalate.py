# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "nested-loop-escalate"
# claim = "an escalate inside an inner LoopAgent ends that loop alone"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.tools:exit_loop",
# ]
# timeout = 30
# ///
"""An outer loop of two passes runs an inner loop of at most five, which its critic ends in the second pass each
time, and then a closing agent. Were the escalate to reach the outer loop too, there would be two drafts and
no closing, or one; were it lost, ten drafts.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, llm, play, run, stub, texts


def main(claim: Claim) -> None:
    from google.adk.agents import LoopAgent
    from google.adk.tools import exit_loop

    drafts = stub(lambda count: f"draft {count}")
    # Where the tool's answer goes back to the model, it gets a call more: let that one say nothing new.
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
    # The inner loop passes the escalating event on as it is, and the outer loop reads it again.
    claim.equal("drafts and closings", [len(drafts.requests), len(closing.requests)], [4, 2])
    claim.note("4 drafts and 2 closings: the outer loop went on")


if __name__ == "__main__":
    run(__file__, main)
