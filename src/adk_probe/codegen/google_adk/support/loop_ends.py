"""How a workflow leaves a loop: behind its last pass, or when its time is up."""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.events.event import Event
from google.adk.workflow import FunctionNode

from .loops import Loop


def leave(rules: Loop, ctx: Any) -> Any:
    """Go on behind a loop; return its output."""
    output = rules.leave(ctx.state)
    if rules.kept:
        ctx.state[f"{rules.name}_output"] = output
    return output


def within(rules: Loop, loop: Any) -> FunctionNode:
    """A loop with its time limit: when time is up the last draft goes on, where the rules allow it.

    Not the node's own ``timeout``: that fails the whole run.
    """

    async def run(ctx: Any, node_input: Any) -> Event:
        try:
            await asyncio.wait_for(ctx.run_node(loop, node_input), rules.timeout)
        except asyncio.TimeoutError:
            rules.late(ctx.state)
        return Event(output=leave(rules, ctx))

    return FunctionNode(func=run, name=rules.name, rerun_on_resume=True)
