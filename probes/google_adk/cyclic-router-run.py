# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "cyclic-router-run"
# claim = "a run routed REVISE, REVISE, PASS has the passes, the order and the downstream value that the routes define"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The probe compares the order of all node runs and every value passed between nodes. A lost pass, an extra pass or a
value of an earlier pass makes a difference.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, plain, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event

    trace = []

    def generator(node_input):
        trace.append(f"generator({plain(node_input)})")
        return f"draft {sum(line.startswith('generator') for line in trace)}"

    def router(node_input):
        trace.append(f"router({node_input})")
        if node_input == "draft 3":
            return Event(route="PASS", output=f"approved {node_input}")
        return Event(route="REVISE", output=f"revise {node_input}")

    def publish(node_input):
        trace.append(f"publish({node_input})")
        return node_input

    with claim.attempt("running"):
        wf = graph(("START", generator, router), (router, {"REVISE": generator, "PASS": publish}))
        events = play(Bench(wf).turn("the request"))
    claim.fact("trace", trace)
    claim.equal(
        "node runs",
        trace,
        [
            "generator(the request)",
            "router(draft 1)",
            "generator(revise draft 1)",
            "router(draft 2)",
            "generator(revise draft 2)",
            "router(draft 3)",
            "publish(approved draft 3)",
        ],
    )
    outputs = [event.output for event in events if event.output is not None]
    claim.equal("the last output of the run", outputs[-1], "approved draft 3")
    claim.note("3 passes in order, and the node downstream received 'approved draft 3'")


if __name__ == "__main__":
    run(__file__, main)
