# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "tool-callback-refuses"
# claim = "a before_tool_callback that returns a dict prevents the tool's run, and the model reads that dict"
# engine = "google-adk"
# needs = ["google.adk.agents:LlmAgent"]
# timeout = 30
# ///
"""Like a guard, the callback decides by the arguments: it refuses the second of two calls. The first call must run,
because otherwise a tool that never runs could look like a refused one.
"""

# No postponed annotations here, because the first releases do not evaluate the annotations of a tool's parameters.
from _kit import Bench, Claim, call, llm, play, run, stub


def main(claim: Claim) -> None:
    ran = []

    def remove(path: str) -> str:
        """Removes a file."""
        ran.append(path)
        return "removed"

    def guard(tool, args, tool_context):  # noqa: ARG001
        return {"error": f"{tool.name} of {args['path']} refused"} if args["path"] == "b.txt" else None

    model = stub(call("remove", path="a.txt"), call("remove", path="b.txt"), "done")
    with claim.attempt("running"):
        play(Bench(llm("agent", model, tools=[remove], before_tool_callback=guard)).turn(bound=50))
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
    claim.note("the refused call did not run, and the model read the refusal")


if __name__ == "__main__":
    run(__file__, main)
