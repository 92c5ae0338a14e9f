# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "exit-loop-costs-no-call"
# claim = "an agent that calls exit_loop ends its LoopAgent without a further model call, and the next step runs"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LoopAgent",
#   "google.adk.agents:SequentialAgent",
#   "google.adk.tools:exit_loop",
# ]
# timeout = 30
# ///
"""The verifier calls ``exit_loop`` in pass 2 of at most 5, so there are 2 calls of its model and 2 of the actor's. A
further call of the verifier's model costs money at the end of every loop, and its text would be the loop's last one.
"""

from __future__ import annotations

from _kit import Bench, Claim, call, llm, play, run, stub, texts


def main(claim: Claim) -> None:
    from google.adk.agents import LoopAgent, SequentialAgent
    from google.adk.tools import exit_loop

    models = {
        "actor": stub("act 1", "act 2", "act 3"),
        "verifier": stub("not yet", call("exit_loop"), "spoken after the escalate"),
        "reporter": stub("reported"),
    }
    with claim.attempt("running"):
        verifier = llm("verifier", models["verifier"], tools=[exit_loop])
        loop = LoopAgent(name="loop", sub_agents=[llm("actor", models["actor"]), verifier], max_iterations=5)
        root = SequentialAgent(name="root", sub_agents=[loop, llm("reporter", models["reporter"])])
        events = play(Bench(root).turn(bound=80))
    calls = {name: len(model.requests) for name, model in models.items()}
    claim.fact("model_calls", calls)
    claim.fact("said", texts(events))
    # The first releases leave an agent at its escalate. Later ones let it finish, and only the skip_summarization of
    # exit_loop prevents a further call of its model.
    claim.equal("model calls of a loop that ends in pass 2", calls, {"actor": 2, "verifier": 2, "reporter": 1})
    claim.note("2 model calls of each agent in the loop, and then the next step")


if __name__ == "__main__":
    run(__file__, main)
