# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "subgraph-events"
# claim = "in each pass and at each depth, the events of a child run carry their own parent/node@visit"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""The body of a loop with two passes is a child graph that has a child graph of its own. The probe compares the graph
ids of all events in order.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, node, play, run, subgraph, switch, terminal


def main(claim: Claim) -> None:
    inner = graph("i>it", terminal("it"))
    outer = graph("o>deep deep>ot", subgraph("deep", inner), terminal("ot"))
    wf = graph(
        "start>sub sub>route route>sub:again route>out:done",
        node("start"),
        subgraph("sub", outer, allow_partial_upstream=True),
        switch("route"),
    )
    bench = Bench(route=lambda _: "again" if bench.order.count("route") < 2 else "done")
    with claim.attempt("running"):
        wf.validate()
        play(bench.run(wf, graph_id="root"))
    done = [event for event in bench.events if event.type.name == "NODE_COMPLETED"]
    seen = [f"{event.graph_id} {event.node_id}" for event in done]
    body = []
    for visit in (1, 2):
        at = f"root/sub@{visit}"
        body += [f"{at} o", f"{at}/deep@1 i", f"{at}/deep@1 it", f"{at} deep", f"{at} ot", "root sub", "root route"]
    claim.equal("the completed events", seen, ["root start", *body, "root out"])
    claim.note("root/sub@1 and root/sub@2, with root/sub@1/deep@1 and root/sub@2/deep@1 below")


if __name__ == "__main__":
    run(__file__, main)
