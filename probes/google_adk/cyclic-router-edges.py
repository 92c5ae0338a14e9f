# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "cyclic-router-edges"
# claim = "a Workflow whose router has an edge back to an earlier node can be constructed"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The workflow is only constructed. The edge back must be among the graph's edges, with its route."""

from __future__ import annotations

from _kit import Claim, graph, run


def generator(node_input):
    return node_input


def router(node_input):
    return node_input


def publish(node_input):
    return node_input


def main(claim: Claim) -> None:
    with claim.attempt("constructing"):
        built = graph(("START", generator, router), (router, {"REVISE": generator, "PASS": publish}))
    edges = [[edge.from_node.name, edge.to_node.name, edge.route] for edge in built.graph.edges]
    claim.fact("edges", edges)
    claim.true(["router", "generator", "REVISE"] in edges, f"no edge back from router to generator in {edges}")
    claim.note("the edge back is in the graph, with its route")


if __name__ == "__main__":
    run(__file__, main)
