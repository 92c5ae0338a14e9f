# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "tool-callback-in-workflow"
# claim = "in a Workflow, a before_tool_callback of an agent that is a node prevents a tool's run by returning a dict"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.workflow:Workflow",
# ]
# timeout = 30
# ///
"""The callback refuses the second of two calls. The model must read the refusal and continue, and the node after the
agent must receive the model's last text. The probe fails if the refusal becomes the node's output or an error.
"""

# No postponed annotations here, because the first releases do not evaluate the annotations of a tool's parameters.
from _kit import Bench, Claim, call, graph, llm, plain, play, run, stub


def main(claim: Claim) -> None:
    ran, received = [], []

    def remove(path: str) -> str:
        """Removes a file."""
        ran.append(path)
        return "removed"

    def guard(tool, args, tool_context):  # noqa: ARG001
        return {"error": f"{tool.name} of {args['path']} refused"} if args["path"] == "b.txt" else None

    def publish(node_input):
        received.append(plain(node_input))

    model = stub(call("remove", path="a.txt"), call("remove", path="b.txt"), "done")
    with claim.attempt("running"):
        agent = llm("agent", model, tools=[remove], before_tool_callback=guard)
        play(Bench(graph(("START", agent, publish))).turn(bound=50))
    read = [request["contents"][-1] for request in model.requests[1:]]
    claim.fact("read", read)
    claim.equal("runs of the tool", ran, ["a.txt"])
    claim.equal(
        "what the model read",
        read,
        [
            'user: <response remove {"result": "removed"}>',
            'user: <response remove {"error": "remove of b.txt refused"}>',
        ],
    )
    claim.equal("what the node after the agent received", received, ["done"])
    claim.note("the refused call did not run, the model read the refusal, and the next node ran")


if __name__ == "__main__":
    run(__file__, main)
