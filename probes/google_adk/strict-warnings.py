# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "strict-warnings"
# claim = "a cyclic Workflow (before 2.0 a LoopAgent) imports, constructs and runs while every warning is an error"
# engine = "google-adk"
# needs = []
# timeout = 120
# isolated = true
# ///
"""The probe shows what happens in a project whose tests run with ``-W error``: the first warning of import,
construction or run raises. The import is part of the claim, so the probe is ``isolated`` and has no ``needs``.
"""

from __future__ import annotations

import sys
import warnings

from _kit import Bench, Claim, graph, import_engine, llm, play, run, stub


def cyclic(drafts):
    from google.adk.events import Event

    generator = llm("generator", drafts)

    def router(node_input):
        return Event(route="PASS" if node_input == "draft 2" else "REVISE", output=node_input)

    def publish(node_input):
        return node_input

    return graph(("START", generator, router), (router, {"REVISE": generator, "PASS": publish}))


def loop_agent(drafts):
    from google.adk.agents import LoopAgent

    return LoopAgent(name="loop", sub_agents=[llm("generator", drafts)], max_iterations=2)


def main(claim: Claim) -> None:
    if "google.adk" in sys.modules:
        raise RuntimeError("the engine was imported before the probe began, so the probe cannot test the claim")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with claim.attempt("importing"):
            build = cyclic if "google.adk.workflow" in import_engine() else loop_agent
        claim.fact("loop", build.__name__)
        drafts = stub("draft 1", "draft 2")
        with claim.attempt("constructing"):
            bench = Bench(build(drafts))
        with claim.attempt("running"):
            play(bench.turn(bound=60))
    claim.equal("passes", len(drafts.requests), 2)
    claim.note("no warning")


if __name__ == "__main__":
    run(__file__, main)
