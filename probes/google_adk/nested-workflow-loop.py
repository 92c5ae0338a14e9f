# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "nested-workflow-loop"
# claim = "a looping workflow as a node of a looping workflow ends both loops as routed"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The inner loop is routed back once and then out, and so is the outer loop: two outer passes of two inner passes each.
The probe compares the order of all node runs with their inputs. It fails if the second inner run remembers the first,
or ends immediately.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, plain, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event

    trace = []

    def draft(node_input):
        trace.append(f"draft({plain(node_input)})")
        return plain(node_input)

    def inner_router(node_input):
        trace.append("inner_router")
        again = trace.count("inner_router") % 2 == 1
        return Event(route="REVISE" if again else "PASS", output=f"{node_input}{'r' if again else 'p'}")

    def done(node_input):
        return node_input

    def outer_router(node_input):
        trace.append(f"outer_router({node_input})")
        again = sum(line.startswith("outer_router") for line in trace) == 1
        return Event(route="REVISE" if again else "PASS", output=node_input)

    def publish(node_input):
        trace.append(f"publish({node_input})")

    with claim.attempt("running"):
        inner = graph(("START", draft, inner_router), (inner_router, {"REVISE": draft, "PASS": done}), name="inner")
        outer = graph(("START", inner, outer_router), (outer_router, {"REVISE": inner, "PASS": publish}))
        play(Bench(outer).turn("x", bound=120))
    claim.fact("trace", trace)
    one = ["draft({0})", "inner_router", "draft({0}r)", "inner_router", "outer_router({0}rp)"]
    expected = [line.format("x") for line in one] + [line.format("xrp") for line in one] + ["publish(xrprp)"]
    claim.equal("node runs", trace, expected)
    claim.note("two outer passes of two inner passes each, then the node downstream")


if __name__ == "__main__":
    run(__file__, main)
