"""A loop as a LoopAgent that is a node of the workflow; its result is carried on through session state."""

from __future__ import annotations

from typing import Any, Optional

from google.adk.agents import LoopAgent
from google.adk.events.event import Event
from google.adk.workflow import START, FunctionNode, Workflow

from . import loop_ends
from .loop_steps import Decide, Draft, Turn, enter
from .loops import Loop


def loop_workflow(rules: Loop, *, generator: Any, critic: Any, description: str, reviser: Optional[Any] = None) -> Any:
    """Enter the loop, run the LoopAgent, hand on the last draft."""
    name = rules.name

    def begin(ctx: Any, node_input: Any) -> Event:
        enter(rules, ctx.state, node_input)
        return Event(output=rules.place(ctx.state)["request"])

    async def run(ctx: Any, node_input: Any) -> Event:
        await ctx.run_node(loop, node_input)
        rules.stopped(ctx.state)
        return Event(output=rules.place(ctx.state)["draft"])

    def end(ctx: Any, node_input: Any) -> Event:
        return Event(output=loop_ends.leave(rules, ctx) if rules.timeout is None else node_input)

    author = generator if reviser is None else Turn.of(rules, generator, reviser)
    loop = LoopAgent(
        name=f"{name}_loop",
        sub_agents=[author, Draft.of(rules), critic, Decide.of(rules, reviser is not None)],
        max_iterations=rules.max_passes,
    )
    first = FunctionNode(func=begin, name=f"{name}_begin")
    last = FunctionNode(func=end, name=f"{name}_end")
    # not the LoopAgent itself: of a node that gives no output the engine thinks that it is done as soon as any of
    # its agents has spoken, and goes on behind it when a run that crashed inside is resumed
    passes = FunctionNode(func=run, name=f"{name}_pass", rerun_on_resume=True)
    edges: list[Any] = [(START, first, passes, last)]
    if rules.timeout is None:
        return Workflow(name=name, description=description, edges=edges)
    return loop_ends.within(rules, Workflow(name=f"{name}_passes", description=description, edges=edges))
