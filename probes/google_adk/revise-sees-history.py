# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "revise-sees-history"
# claim = "in pass 2 a generator node sees the conversation so far, without receiving it as its input"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The router returns a route without an output. In pass 2, the model must receive the request and the first draft. A
fact records the same with the default of ``include_contents`` written out.
"""

from __future__ import annotations

from _kit import Bench, Claim, fed, graph, llm, play, run, stub


def seen_on_pass_2(claim: Claim, name: str, **fields) -> list:
    from google.adk.events import Event

    drafts = stub("first draft", "second draft")
    passes = []

    def router():
        passes.append(1)
        return Event(route="PASS" if len(passes) == 2 else "REVISE")

    def publish():
        pass

    generator = llm("generator", drafts, **fields)
    wf = graph(("START", generator, router), (router, {"REVISE": generator, "PASS": publish}))
    play(Bench(wf).turn("the request", bound=60))
    claim.fact(name, [request["contents"] for request in drafts.requests])
    claim.equal("model calls", len(drafts.requests), 2)
    claim.equal("the request in pass 1", fed(drafts.requests[0], "the request"), ["the request"])
    return fed(drafts.requests[1], "the request", "first draft")


def main(claim: Claim) -> None:
    with claim.attempt("running"):
        seen = seen_on_pass_2(claim, "generator_saw")
        seen_on_pass_2(claim, "generator_saw_with_contents_default", include_contents="default")
    # Newer releases show a node only this turn's events under its own path, and each run has a path of its own.
    claim.equal("parts of request and first draft seen in pass 2", seen, ["the request", "first draft"])
    claim.note("the model sees the request and the first draft in pass 2")


if __name__ == "__main__":
    run(__file__, main)
