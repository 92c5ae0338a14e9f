# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "child-one-shot-iterators"
# claim = "a child given as one-shot iterators is refused by validate(), to_dict() and run(), unconsumed"
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 30
# ///
"""A generator is empty after one look, so validation, serialization and the run would see different children. It must
be refused before anybody takes its first item. The same child as tuples must run.
"""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, graph, node, play, run, said, subgraph

NODES = (
    {"id": "first", "kind": "task", "handler": "first", "config": {}},
    {"id": "last", "kind": "terminal", "handler": "last", "config": {}},
)
EDGES = ({"id": "e", "source": "first", "target": "last", "metadata": {}},)


def composed(body: dict[str, Any]) -> Any:
    return graph("before>sub", node("before"), subgraph("sub", body))


def main(claim: Claim) -> None:
    good = Bench()
    _, error = play(good.tried(composed({"nodes": NODES, "edges": EDGES})))
    claim.true(error is None and "last" in good.order, f"the same child as tuples {said(error)}")

    seen: dict[str, Any] = {}
    taken: list = []

    def one_shot(items: tuple) -> Any:
        for item in items:
            taken.append(item["id"])
            yield item

    for what in ("nodes", "edges"):
        for name in ("validate()", "to_dict()", "run()"):
            body = {"nodes": NODES, "edges": EDGES}
            body[what] = one_shot(body[what])
            wf = composed(body)
            end: Any = None
            if name == "run()":
                # The bench registers the handlers of child graphs from their nodes, which it must not consume.
                bench = Bench()
                bench.registry.register("before", lambda _: None)
                bench.registry.register("first", lambda _: None)
                bench.registry.register("last", lambda _: None)

                async def scene(bench: Bench = bench, wf: Any = wf) -> Any:
                    try:
                        await bench.scheduler.run(wf, graph_id="g")
                    except Exception as error:
                        return error
                    return None

                end = play(scene())
            else:
                try:
                    wf.validate() if name == "validate()" else wf.to_dict()
                except Exception as error:
                    end = error
            seen[f"{what}, {name}"] = said(end)
    claim.fact("seen", seen)
    claim.fact("items_taken", taken)
    passed = sorted(name for name, end in seen.items() if "ValueError" not in end)
    claim.equal("where it is not refused with ValueError", passed, [])
    claim.equal("items that were taken", taken, [])
    claim.note("refused six times with ValueError, and no item was taken")


if __name__ == "__main__":
    run(__file__, main)
