# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "llm-call-limit"
# claim = "RunConfig.max_llm_calls stops a loop that calls a model"
# engine = "google-adk"
# needs = ["google.adk.agents.run_config:RunConfig"]
# timeout = 30
# ///
"""A cyclic graph and a dynamic loop that never end by themselves (or a ``LoopAgent``, if the release has no workflows)
run with a limit of 5 model calls. After the fifth call, an error that reaches the caller must stop each of them. A run
that continues is cut off.
"""

from __future__ import annotations

from _kit import Bench, Claim, Refuted, graph, import_engine, llm, play, rerunning, run, stub

LIMIT = 5


def loop_agent(model):
    from google.adk.agents import LoopAgent

    return LoopAgent(name="loop", sub_agents=[llm("generator", model)])


def cyclic(model):
    from google.adk.events import Event

    generator = llm("generator", model)

    def router():
        return Event(route="REVISE", output="again")

    def publish():
        pass

    return graph(("START", generator, router), (router, {"REVISE": generator, "PASS": publish}))


def dynamic(model):
    generator = llm("generator", model)

    async def loop(ctx):
        for _ in range(40):
            await ctx.run_node(generator, node_input="again")
        return "draft"

    return graph(("START", rerunning(loop)))


def stopped_by(build) -> list:
    from google.adk.agents.run_config import RunConfig

    model = stub("draft")
    try:
        play(Bench(build(model)).turn(bound=60, run_config=RunConfig(max_llm_calls=LIMIT)))
    except Refuted:
        return ["nothing", "cut off"]
    except Exception as error:
        return [type(error).__name__, len(model.requests)]
    return ["the end", len(model.requests)]


def main(claim: Claim) -> None:
    has_workflow = "google.adk.workflow" in import_engine()
    loops = {"cyclic": cyclic, "dynamic": dynamic} if has_workflow else {"LoopAgent": loop_agent}
    seen = {name: stopped_by(build) for name, build in loops.items()}
    claim.fact("stopped_by_after_calls", seen)
    expected = ["LlmCallsLimitExceededError", LIMIT]
    claim.equal("what stopped the loops, after how many calls", seen, dict.fromkeys(seen, expected))
    claim.note(f"stopped after {LIMIT} calls: {', '.join(seen)}")


if __name__ == "__main__":
    run(__file__, main)
