# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "loop-agent-as-node"
# claim = "a Workflow whose edges hold a LoopAgent constructs"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.workflow:Workflow",
# ]
# timeout = 30
# ///
"""Construction alone; that the node runs is ``loop-agent-as-node-run``. The graph must hold the agent itself."""

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
    claim.note("the LoopAgent is a node of the graph as it is")


if __name__ == "__main__":
    run(__file__, main)
