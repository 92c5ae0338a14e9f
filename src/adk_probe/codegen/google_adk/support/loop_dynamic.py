"""A loop as one node that runs its agents in a Python loop."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from google.adk.events.event import Event
from google.adk.workflow import FunctionNode

from . import loop_ends
from .loops import Loop


def loop_node(
    rules: Loop, *, generator: Any, critic: Any, description: str, reviser: Optional[Any] = None
) -> FunctionNode:
    """A loop as one dynamic node. When a run is resumed the engine replays the agents that had answered."""

    async def passes(ctx: Any, given: Any) -> None:
        author = generator
        while True:
            draft = await ctx.run_node(author, given)
            evaluation = await ctx.run_node(critic, rules.drafted(ctx.state, draft))
            verdict = rules.judged(ctx.state, evaluation)
            if verdict.done:
                return
            given, author = verdict.value, reviser or generator

    async def run(ctx: Any, node_input: Any) -> Event:
        request = rules.begin(ctx.state, node_input, f"{ctx.get_invocation_context().invocation_id}:{ctx.run_id}")
        if rules.timeout is None:
            await passes(ctx, request)
        else:
            try:
                await asyncio.wait_for(passes(ctx, request), rules.timeout)
            except asyncio.TimeoutError:
                rules.late(ctx.state)
        return Event(output=loop_ends.leave(rules, ctx))

    node = FunctionNode(func=run, name=rules.name, rerun_on_resume=True)
    node.description = description
    return node
