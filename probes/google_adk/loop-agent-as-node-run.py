# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-agent-as-node-run"
# claim = "a LoopAgent as a node of a Workflow runs to its end, and the next node receives the loop's last output"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.workflow:Workflow",
# ]
# timeout = 30
# ///
"""The limit ends one loop, and an escalate ends the other. In both, ``draft 2`` is the last text in the loop, so the
node after the loop must receive it. The probe fails if that node receives the first draft or nothing, or never runs.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, graph, llm, plain, play, run, stub, texts


def through(claim: Claim, agents, what: str) -> list:
    from google.adk.agents import LoopAgent

    received = []

    def publish(node_input):
        received.append(plain(node_input))
        return "published"

    with claim.attempt(f"running a loop that {what} ends"):
        loop = LoopAgent(name="loop", sub_agents=agents, max_iterations=2)
        events = play(Bench(graph(("START", loop, publish))).turn("the request"))
    claim.fact(f"said_{what}", texts(events))
    claim.fact(f"received_{what}", received)
    return received


def main(claim: Claim) -> None:
    from google.adk.tools import exit_loop

    limited = through(claim, [llm("generator", stub("draft 1", "draft 2"))], "limit")
    critic = llm("critic", stub("not yet", call("exit_loop"), ""), tools=[exit_loop])
    escalated = through(claim, [llm("generator", stub("draft 1", "draft 2")), critic], "escalate")
    # An agent that is not an LlmAgent passes its sub-agents' events on unchanged, and only an LlmAgent that is itself a
    # node turns its text into an output. Therefore the loop ends without an output.
    claim.equal("runs of the node after the loop", [len(limited), len(escalated)], [1, 1])
    claim.equal(
        "what the node after the loop received, ended by limit and by escalate", limited + escalated, ["draft 2"] * 2
    )
    claim.note("the node after the loop receives 'draft 2'")


if __name__ == "__main__":
    run(__file__, main)
