# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "owned-agent-as-node"
# claim = "an agent that is already a sub-agent of another agent works as a node: the node after it runs"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The owner is an ``LlmAgent`` in one run and another kind of agent in the other. First, the same graph runs with an
agent without an owner. The node after that agent must run, because otherwise a broken graph could look like a refused
agent.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, llm, plain, play, run, stub


def received(owner: str) -> list:
    from google.adk.agents import BaseAgent

    found = []
    writer = llm("writer", stub("draft"))
    if owner == "LlmAgent":
        llm("owner", stub("hello"), sub_agents=[writer])
    elif owner == "BaseAgent":
        BaseAgent(name="owner", sub_agents=[writer])

    def publish(node_input):
        found.append(plain(node_input))

    play(Bench(graph(("START", writer, publish))).turn())
    return found


def main(claim: Claim) -> None:
    with claim.attempt("an agent without an owner"):
        claim.equal("what the node after an agent without an owner received", received("nobody"), ["draft"])
    with claim.attempt("an agent that has a parent"):
        seen = {owner: received(owner) for owner in ("LlmAgent", "BaseAgent")}
    claim.fact("received", seen)
    # A node in chat mode waits for an output that it never gets, so nothing after it is triggered. Sub-agents of an
    # LlmAgent are in that mode, and newer releases put every agent with a parent in that mode.
    claim.equal("what the node after an owned agent received, by owner", seen, {owner: ["draft"] for owner in seen})
    claim.note("the node after it receives 'draft'")


if __name__ == "__main__":
    run(__file__, main)
