# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-agent-as-node"
# claim = "a Workflow that has a LoopAgent in its edges can be constructed"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.workflow:Workflow",
# ]
# timeout = 30
# ///
"""The workflow is only constructed, and must contain the agent itself. ``loop-agent-as-node-run`` runs one."""

from __future__ import annotations

from _kit import Claim, graph, llm, run, stub


def publish(node_input):
    return node_input


def main(claim: Claim) -> None:
    from google.adk.agents import LoopAgent

    with claim.attempt("constructing"):
        loop = LoopAgent(name="loop", sub_agents=[llm("generator", stub("draft"))], max_iterations=2)
        built = graph(("START", loop, publish))
    names = [node.name for node in built.graph.nodes]
    claim.equal("nodes", names, ["__START__", "loop", "publish"])
    claim.equal("the loop node is a LoopAgent", isinstance(built.graph.nodes[1], LoopAgent), True)
    claim.note("the LoopAgent itself is a node of the graph")


if __name__ == "__main__":
    run(__file__, main)
