# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "request-input-answer-next"
# claim = "the node after one that asks by RequestInput receives the answer, however the question is given"
# engine = "google-adk"
# needs = [
#   "google.adk.workflow:Workflow",
#   "google.adk.events.request_input:RequestInput",
# ]
# timeout = 60
# ///
"""The question is returned, or yielded with code after it, or yielded with an output after it. Each time the node after
it must run once and receive the answer: one that receives the question, the output that was given before anybody
answered, or nothing, would show.

An answer that is a dict is a fact.
"""

from __future__ import annotations

import asyncio
from typing import Any

from _kit import Bench, Claim, graph, plain, play, run


def received(way: str, reply: Any = "yes") -> dict[str, list]:
    from google.adk.events.request_input import RequestInput

    got: list = []

    def question():
        return RequestInput(interrupt_id="ask", message="go on?")

    def returned():
        return question()

    async def then_code():
        yield question()
        await asyncio.sleep(0)

    async def then_output():
        yield question()
        yield "an output of its own"

    def publish(node_input):
        got.append(plain(node_input))

    node = {"returned": returned, "yielded": then_code, "yielded_before_an_output": then_output}[way]
    bench = Bench(graph(("START", node, publish)))
    seen: dict[str, list] = {}

    async def scene() -> None:
        events = await bench.turn(bound=60)
        seen["before_the_answer"] = list(got)
        await bench.answer(events, reply, bound=60)
        seen["in_all"] = list(got)

    play(scene(), seconds=50)
    return seen


def as_fact(claim: Claim, name: str, way: str, reply: Any = "yes") -> Any:
    try:
        seen: Any = received(way, reply)
    except Exception as error:
        seen = f"raised {type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
    claim.fact(name, seen)
    return seen


def main(claim: Claim) -> None:
    as_fact(claim, "an_answer_that_is_a_dict", "returned", {"approved": True, "by": "ann"})
    ways = ("returned", "yielded", "yielded_before_an_output")
    seen = {way: as_fact(claim, way, way) for way in ways}
    expected = {"before_the_answer": [], "in_all": ["yes"]}
    for way in ways:
        claim.equal(f"what the node after a question that is {way} received", seen[way], expected)
    claim.note("the node after it ran once and received the answer")


if __name__ == "__main__":
    run(__file__, main)
