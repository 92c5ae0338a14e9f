# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "model-stub"
# claim = "a BaseLlm subclass that plays a script drives an LlmAgent through a runner, offline, without a key"
# engine = "google-adk"
# needs = [
#   "google.adk.agents:LlmAgent",
#   "google.adk.models.base_llm:BaseLlm",
# ]
# timeout = 30
# ///
"""Every other probe with a model depends on this one.

It detects a model that is not called or is called twice, a wrong request, a lost answer, and any attempt to reach
another machine.
"""

from __future__ import annotations

import socket

from _kit import Bench, Claim, fed, llm, play, run, stub, texts


def main(claim: Claim) -> None:
    calls = []
    for name in ("connect", "connect_ex"):

        def refuse(_socket, address):
            calls.append(repr(address))
            raise OSError("probes are offline")

        setattr(socket.socket, name, refuse)
    model = stub("scripted answer", "one answer too many")
    with claim.attempt("running an agent with a scripted model"):
        bench = Bench(llm("writer", model, instruction="Write well."))
        events = play(bench.turn("the request"))
    claim.equal("texts of the run", texts(events), ["writer: scripted answer"])
    claim.equal("model calls", len(model.requests), 1)
    claim.equal(
        "parts of request and instruction that the model saw",
        fed(model.requests[0], "the request", "Write well."),
        ["the request", "Write well."],
    )
    claim.equal("attempted connections", calls, [])
    claim.fact("events", len(events))
    claim.note("one call, one answer, no connection")


if __name__ == "__main__":
    run(__file__, main)
