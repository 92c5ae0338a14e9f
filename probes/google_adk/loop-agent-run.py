# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-agent-run"
# claim = "LoopAgent(generator, critic) ends in the pass of an escalate, and the next agent of the sequence runs"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:SequentialAgent",
#   "google.adk.tools:exit_loop",
# ]
# timeout = 30
# ///
"""The critic approves in pass 2 of at most 5, with the built-in ``exit_loop`` or with a hand-written tool.

A loop that ignores the escalate makes 5 drafts, and one that ends early makes 1. If the escalate also ends the
sequence, nothing is published.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, llm, play, run, stub, texts


def hand_written(tool_context):
    """Ends the loop."""
    tool_context.actions.escalate = True
    return {}


def loop_with(claim: Claim, tool, name: str) -> None:
    from google.adk.agents import LoopAgent, SequentialAgent

    drafts = stub("draft 1", "draft 2", "draft 3")
    verdicts = stub("not yet", call(name), "spoken after the escalate")
    published = stub("published")
    with claim.attempt(f"a loop that {name} ends"):
        loop = LoopAgent(
            name="loop",
            sub_agents=[llm("generator", drafts), llm("critic", verdicts, tools=[tool])],
            max_iterations=5,
        )
        bench = Bench(SequentialAgent(name="root", sub_agents=[loop, llm("publisher", published)]))
        events = play(bench.turn())
    claim.fact(f"{name}_said", texts(events))
    # A tool that only escalates may cost the critic one more call, in which it comments on the tool's result.
    claim.fact(f"{name}_critic_calls", len(verdicts.requests))
    claim.equal(f"passes of the loop that {name} ends in pass 2", len(drafts.requests), 2)
    claim.equal(f"runs of the agent after the loop that {name} ends", len(published.requests), 1)
    claim.equal("the last text", texts(events)[-1], "publisher: published")


def main(claim: Claim) -> None:
    from google.adk.tools import exit_loop

    loop_with(claim, exit_loop, "exit_loop")
    loop_with(claim, hand_written, "hand_written")
    claim.note("2 passes and then the next agent, with exit_loop and with a hand-written tool")


if __name__ == "__main__":
    run(__file__, main)
