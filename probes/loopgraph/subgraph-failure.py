# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "subgraph-failure"
# claim = "a child's failure fails its node as a handler's would: same error, event and snapshot"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A handler raises an exception in one run, and a node of a child graph raises the same exception in the other. The
probe compares the parent's events and snapshot for the two nodes. The exception must be the same object that was
raised.
"""

from __future__ import annotations

from _kit import Bench, Claim, JsonStore, graph, node, play, run, subgraph, terminal


class Boom(Exception):
    pass


def fail(wf):
    """Run a graph whose node ``bad`` raises; return the record of its node ``x``, and the child's failures."""
    boom = Boom("boom")

    def bad(_):
        raise boom

    store = JsonStore()
    bench = Bench(store=store, bad=bad)
    _, error = play(bench.tried(wf))
    own = [event for event in bench.events if (event.graph_id, event.node_id) == ("g", "x")]
    events = [(event.type.name, event.payload) for event in own]
    state = store.load("g")["states"]["x"]
    below = [(event.graph_id, event.node_id) for event in bench.events if event.type.name == "NODE_FAILED"]
    seen = {"same object": error is boom, "events": events, "status": state["status"], "outcome": state["outcome"]}
    return {**seen, "behind": "after" in bench.order}, below


def main(claim: Claim) -> None:
    child = graph("first>bad bad>last", terminal("last"))
    node_itself, _ = fail(graph("before>x x>after", node("x", handler="bad")))
    through_child, below = fail(graph("before>x x>after", subgraph("x", child)))
    claim.equal("a handler's failure", (node_itself["same object"], node_itself["status"]), (True, "failed"))
    claim.equal("a child's failure, compared with a handler's", through_child, node_itself)
    claim.equal("where it failed", below, [("g/x@1", "bad"), ("g", "x")])
    claim.note("the exception itself, NODE_FAILED and the status are those of a handler's failure")


if __name__ == "__main__":
    run(__file__, main)
