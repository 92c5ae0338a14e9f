"""What the probes of call limits share: a chat agent under a limit that calls an agent which calls a model."""

from __future__ import annotations

from typing import Any

from _kit import Bench, Refuted, call, llm, play, stub

LIMIT = 5


def stopped(inner_script: list, turns: int) -> dict[str, Any]:
    """Run it, calling the inner agent so many times; return what reached the caller, and the calls of each model."""
    from google.adk.agents.run_config import RunConfig
    from google.adk.tools.agent_tool import AgentTool

    def look() -> str:
        """Looks."""
        return "looked"

    inner = stub(*inner_script, "found")
    chat = stub(*[call("inner", request="look")] * turns, "done")
    bench = Bench(llm("chat", chat, tools=[AgentTool(llm("inner", inner, description="Looks.", tools=[look]))]))
    raised = None
    try:
        play(bench.turn(bound=100, run_config=RunConfig(max_llm_calls=LIMIT)))
    except Refuted:
        raised = "cut off"
    except Exception as error:
        raised = type(error).__name__
    return {"raised": raised, "chat_calls": len(chat.requests), "inner_calls": len(inner.requests)}
