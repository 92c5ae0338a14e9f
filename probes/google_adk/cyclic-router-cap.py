# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "cyclic-router-cap"
# claim = "a counter in session state stops a critic that never approves, and the node downstream runs"
# engine = "google-adk"
# needs = ["google.adk.workflow:Workflow"]
# timeout = 30
# ///
"""The counter is only in session state. The run must end after exactly 3 passes, and the counter must be readable in
the session afterwards. A run that continues is cut off.
"""

from __future__ import annotations

from _kit import Bench, Claim, graph, play, run


def main(claim: Claim) -> None:
    from google.adk.events import Event

    trace = []

    def generator():
        trace.append("generator")
        return f"draft {trace.count('generator')}"

    def critic(node_input):
        return {"is_valid": False, "draft": node_input}

    def router(ctx, node_input):
        ctx.state["passes"] = ctx.state.get("passes", 0) + 1
        route = "PASS" if node_input["is_valid"] or ctx.state["passes"] >= 3 else "REVISE"
        return Event(route=route, output=node_input["draft"])

    def publish(node_input):
        trace.append(f"publish({node_input})")

    bench = Bench(graph(("START", generator, critic, router), (router, {"REVISE": generator, "PASS": publish})))

    async def scene():
        await bench.turn(bound=80)
        return await bench.state()

    with claim.attempt("running"):
        state = play(scene())
    claim.equal("node runs", trace, ["generator", "generator", "generator", "publish(draft 3)"])
    claim.equal("the counter in the session", state.get("passes"), 3)
    claim.note("stopped after 3 passes, then the node downstream ran once")


if __name__ == "__main__":
    run(__file__, main)
