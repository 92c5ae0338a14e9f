# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "revise-sees-feedback"
# claim = "in pass 2 a generator node sees its own draft and the feedback if the router passes on both"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The router passes on a dict of draft and feedback. The model must receive both in pass 2, and neither in pass 1."""

from __future__ import annotations

from _kit import Bench, Claim, fed, graph, llm, play, run, stub


def main(claim: Claim) -> None:
    from google.adk.events import Event

    drafts = stub("first draft", "second draft")

    def router(node_input):
        if node_input == "first draft":
            return Event(route="REVISE", output={"draft": node_input, "feedback": "be brief"})
        return Event(route="PASS", output=node_input)

    def publish():
        pass

    with claim.attempt("running"):
        generator = llm("generator", drafts)
        wf = graph(("START", generator, router), (router, {"REVISE": generator, "PASS": publish}))
        play(Bench(wf).turn("the request", bound=60))
    claim.fact("generator_saw", [request["contents"] for request in drafts.requests])
    claim.equal("model calls", len(drafts.requests), 2)
    wanted = ["first draft", "be brief"]
    claim.equal("parts of draft and feedback seen in pass 1", fed(drafts.requests[0], *wanted), [])
    claim.equal("parts of draft and feedback seen in pass 2", fed(drafts.requests[1], *wanted), wanted)
    # The claim does not depend on whether the model still sees the first request.
    claim.fact("request_seen_on_pass_2", fed(drafts.requests[1], "the request") != [])
    claim.note("the model sees draft and feedback in pass 2")


if __name__ == "__main__":
    run(__file__, main)
