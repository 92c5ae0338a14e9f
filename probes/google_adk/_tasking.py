"""What the probes of task mode share: an agent that ends by ``finish_task``, at once or after a word with the user."""

from __future__ import annotations

from typing import Any

from _kit import Bench, Claim, call, graph, llm, plain, play, stub

CITY = "Paris"
# The collector ends at once, or asks first and ends on the user's next message.
SCRIPTS = {"at_once": (), "over_two_turns": ("Which city?",)}


def _collector(script: tuple) -> Any:
    from pydantic import BaseModel

    class Trip(BaseModel):
        city: str

    model = stub(*script, call("finish_task", city=CITY), "spoken after the task")
    return llm("collector", model, mode="task", description="Asks for a city.", output_schema=Trip)


async def _conversation(bench: Bench, two_turns: bool, seen: Any) -> dict[str, Any]:
    """Run one turn, and where the collector asks a second with the user's answer; return what was seen after each."""
    await bench.turn("plan a trip", bound=80)
    steps = {"after_turn_1": seen()}
    if two_turns:
        await bench.turn(CITY, bound=80)
        steps["after_turn_2"] = seen()
    return steps


def as_step(script: tuple, resumable: bool) -> dict[str, Any]:
    """Run the collector as a node between two others; return how often each ran, and what the last one received."""
    trace: list = []

    def entry():
        trace.append("entry")
        return "a trip"

    def book(node_input):
        trace.append(f"book {plain(node_input)}")

    collector = _collector(script)
    bench = Bench(graph(("START", entry, collector, book)), resumable=resumable)

    def seen() -> dict[str, Any]:
        return {"collector_calls": len(collector.model.requests), "nodes": list(trace)}

    return play(_conversation(bench, bool(script), seen))


def as_sub_agent(script: tuple, resumable: bool) -> dict[str, Any]:
    """Run the collector as a sub-agent of a chat agent; return the calls of both, and what the chat agent read."""
    collector, chat = _collector(script), stub(call("collector", request="ask for a city"), "booked")
    bench = Bench(llm("chat", chat, sub_agents=[collector]), resumable=resumable)

    def seen() -> dict[str, Any]:
        read = [request["contents"][-1] for request in chat.requests[1:]]
        # The agent as it was given; the engine may run copies of it, which share its model.
        return {"collector_calls": len(collector.model.requests), "chat_read": read}

    return play(_conversation(bench, bool(script), seen))


STEP_EXPECTED = {
    "at_once": {"after_turn_1": {"collector_calls": 1, "nodes": ["entry", f"book {{'city': '{CITY}'}}"]}},
    "over_two_turns": {
        "after_turn_1": {"collector_calls": 1, "nodes": ["entry"]},
        "after_turn_2": {"collector_calls": 2, "nodes": ["entry", f"book {{'city': '{CITY}'}}"]},
    },
}
_READ = f'user: <response collector {{"city": "{CITY}"}}>'
SUB_AGENT_EXPECTED = {
    "at_once": {"after_turn_1": {"collector_calls": 1, "chat_read": [_READ]}},
    "over_two_turns": {
        "after_turn_1": {"collector_calls": 1, "chat_read": []},
        "after_turn_2": {"collector_calls": 2, "chat_read": [_READ]},
    },
}


def judge_task(claim: Claim, run_task: Any, expected: dict[str, Any], resumable: bool) -> None:
    """Refute the claim unless the task ends as expected, at once and over two turns."""
    for name, script in SCRIPTS.items():
        with claim.attempt(f"a task {name.replace('_', ' ')}"):
            seen = run_task(script, resumable)
        claim.fact(name, seen)
        for turn, wanted in expected[name].items():
            claim.equal(f"a task {name.replace('_', ' ')}, {turn.replace('_', ' ')}", seen[turn], wanted)
    claim.note("the result is handed on, at once and over two turns, and nothing ran twice")
