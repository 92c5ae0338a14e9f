# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "dynamic-node-loop"
# claim = "a dynamic node that runs its child nodes in a Python loop returns the last draft to the node downstream"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.workflow:FunctionNode",
#   "google.adk.agents:LlmAgent",
# ]
# timeout = 30
# ///
"""The child nodes are a generator and a critic with an output schema. The critic approves draft 3 of at most 5. The
probe compares the order, the number of calls, what the children return, and what the node downstream receives.
"""

from __future__ import annotations

from _kit import Bench, Claim, critic_schema, fed, graph, llm, plain, play, rerunning, run, stub


def main(claim: Claim) -> None:
    drafts = stub("draft 1", "draft 2", "draft 3", "draft 4")
    verdicts = stub(*[{"is_valid": n == 3, "feedback": f"feedback {n}"} for n in (1, 2, 3)])
    generator = llm("generator", drafts)
    critic = llm("critic", verdicts, output_schema=critic_schema())
    returned, received = [], []

    async def loop(ctx, node_input):
        request, draft = plain(node_input), None
        for _ in range(5):
            draft = await ctx.run_node(generator, node_input=request)
            verdict = plain(await ctx.run_node(critic, node_input=draft))
            returned.append([draft, verdict])
            if verdict["is_valid"]:
                break
            request = f"Revise {draft}: {verdict['feedback']}"
        return draft

    def publish(node_input):
        received.append(node_input)

    with claim.attempt("running"):
        events = play(Bench(graph(("START", rerunning(loop), publish))).turn("the request", bound=120))
    claim.fact("events", len(events))
    claim.fact("generator_saw", [request["contents"] for request in drafts.requests])
    claim.equal("calls of generator and critic", [len(drafts.requests), len(verdicts.requests)], [3, 3])
    claim.equal(
        "what the children returned",
        returned,
        [[f"draft {n}", {"is_valid": n == 3, "feedback": f"feedback {n}"}] for n in (1, 2, 3)],
    )
    feedback = "draft 2: feedback 2"
    claim.equal("feedback that the generator sees in pass 3", fed(drafts.requests[2], feedback), [feedback])
    claim.equal("what the node downstream received", received, ["draft 3"])
    claim.note("3 passes, then 'draft 3' downstream")


if __name__ == "__main__":
    run(__file__, main)
