# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "qualified-handlers"
# claim = "qualified handlers with one name and two publishers coexist with each other and with the bare name"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""Three nodes have the handlers acme.etl/clean, umbrella.etl/clean and clean, and each must call its own. If graphs
accept a namespace, it must change only the bare name, to acme's. A fact records whether they do.
"""

from __future__ import annotations

from _kit import Bench, Claim, accepts, graph, node, play, run


def main(claim: Claim) -> None:
    from loopgraph.core.graph import Graph

    names = ("acme.etl/clean", "umbrella.etl/clean", "clean")
    nodes = [node(key, handler=name) for key, name in zip("abc", names)]
    wf = graph("a>b b>c", *nodes)
    bench = Bench()
    with claim.attempt("running"):
        wf.validate()
        results = play(bench.run(wf))
    claim.equal("what each node's handler returned", results, dict(zip("abc", names)))
    if accepts(Graph, "namespace"):
        with claim.attempt("declaring a namespace"):
            named = Graph(nodes={item.id: item for item in nodes}, namespace="acme.etl")
            named.validate()
        claim.equal(
            "handlers under the namespace acme.etl",
            [item.handler for item in named.nodes.values()],
            ["acme.etl/clean", "umbrella.etl/clean", "acme.etl/clean"],
        )
    claim.fact("graphs_take_a_namespace", accepts(Graph, "namespace"))
    claim.note("each node called the handler of its own publisher")


if __name__ == "__main__":
    run(__file__, main)
