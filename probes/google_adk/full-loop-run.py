# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "full-loop-run"
# claim = "a generator, a critic with an output schema and a router run a complete loop to approval"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The critic rejects two drafts and approves the third. The probe records what each model call saw, and what the router
and the node downstream received. The probe fails if the critic judges the wrong draft, if the generator misses the
feedback, or if the verdict arrives as text.
"""

from __future__ import annotations

from _kit import Bench, Claim, critic_schema, fed, graph, llm, plain, play, run, stub


def main(claim: Claim) -> None:
    from google.adk.events import Event

    drafts = stub("draft 1", "draft 2", "draft 3")
    verdicts = stub(
        {"is_valid": False, "feedback": "too long"},
        {"is_valid": False, "feedback": "too dull"},
        {"is_valid": True, "feedback": ""},
    )
    kinds, received = [], []

    def router(ctx, node_input):
        kinds.append(type(node_input).__name__)
        verdict, draft = plain(node_input), ctx.state["draft"]
        if verdict["is_valid"]:
            return Event(route="PASS", output=draft)
        return Event(route="REVISE", output=f"Revise {draft}: {verdict['feedback']}")

    def publish(node_input):
        received.append(plain(node_input))

    with claim.attempt("running"):
        generator = llm("generator", drafts, output_key="draft")
        critic = llm("critic", verdicts, output_schema=critic_schema())
        wf = graph(("START", generator, critic, router), (router, {"REVISE": generator, "PASS": publish}))
        events = play(Bench(wf).turn("the request", bound=120))
    claim.fact("router_input", kinds)
    claim.fact("events", len(events))
    claim.fact("model_calls", {"generator": len(drafts.requests), "critic": len(verdicts.requests)})
    claim.fact("generator_saw", [request["contents"] for request in drafts.requests])
    claim.fact("critic_saw", [request["contents"] for request in verdicts.requests])
    claim.equal("calls of generator and critic", [len(drafts.requests), len(verdicts.requests)], [3, 3])
    claim.equal("what the router received", sorted(set(kinds)), ["dict"])
    for number, request in enumerate(verdicts.requests, 1):
        claim.equal(f"draft that the critic sees, pass {number}", fed(request, f"draft {number}"), [f"draft {number}"])
    for number, feedback in ((2, "draft 1: too long"), (3, "draft 2: too dull")):
        claim.equal(
            f"feedback that the generator sees, pass {number}", fed(drafts.requests[number - 1], feedback), [feedback]
        )
    claim.equal("what the node downstream received", received, ["draft 3"])
    claim.note("3 passes, one call of each model in each pass, and 'draft 3' downstream")


if __name__ == "__main__":
    run(__file__, main)
