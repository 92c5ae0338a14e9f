# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "version-suffix-reserved"
# claim = "with child graphs or a namespace, a qualified handler name with an @version suffix is refused as reserved"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""In a graph with a child graph, validate() and a run without validation must refuse the name, beside the child and
inside it. With a namespace, the constructor must refuse it. The same names without the suffix must pass.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, node, play, run, said, subgraph, terminal


def refusal(function):
    """Return the ValueError that a function raises, or None."""
    try:
        function()
    except ValueError as error:
        return error
    return None


def composed(name, inside):
    """Return a graph with a child graph, in which one handler has the name: inside the child or beside it."""
    child = graph("x>last", node("x", handler=name if inside else "x"), terminal("last"))
    return graph("before>sub", node("before", handler="before" if inside else name), subgraph("sub", child))


def main(claim: Claim) -> None:
    from loopgraph.core.graph import Graph

    for inside in (False, True):
        place = "inside a child" if inside else "beside a child"
        with claim.attempt(f"a name without the suffix {place}"):
            composed("acme.etl/clean", inside).validate()
            play(Bench().run(composed("acme.etl/clean", inside)))
        wf = composed("acme.etl/clean@2", inside)
        bench = Bench()
        for what, error in (("validate()", refusal(wf.validate)), ("run()", play(bench.tried(wf))[1])):
            claim.true(type(error) is ValueError and "reserved" in str(error), f"{place} {what} {said(error)}")
        claim.equal(f"calls with the name {place}", bench.order, [])
    error = refusal(lambda: Graph(nodes={"x": node("x", handler="acme.etl/clean@2")}, namespace="acme.etl"))
    claim.true(type(error) is ValueError and "reserved" in str(error), f"under a namespace Graph() {said(error)}")
    claim.note(f"validate(), run() and a namespace: {said(error)}")


if __name__ == "__main__":
    run(__file__, main)
