# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "owned-agent-as-node"
# claim = "an agent that already is a sub-agent elsewhere works as a node: the node after it runs"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The owner is once an ``LlmAgent`` and once an agent of another kind. The same graph with an agent of nobody's is
run first: its node after must run, so that a broken graph is not taken for an agent that is not accepted.
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
    with claim.attempt("an agent of nobody's"):
        claim.equal("what the node after a free agent received", received("nobody"), ["draft"])
    with claim.attempt("an agent that has a parent"):
        seen = {owner: received(owner) for owner in ("LlmAgent", "BaseAgent")}
    claim.fact("received", seen)
    # A node in chat mode waits for an output that it never gives, so nothing after it is triggered. Sub-agents of
    # an LlmAgent are put into that mode; newer releases take every agent with a parent for one of that mode.
    claim.equal("what the node after an owned agent received, by owner", seen, {owner: ["draft"] for owner in seen})
    claim.note("the node after it receives 'draft'")


if __name__ == "__main__":
    run(__file__, main)
