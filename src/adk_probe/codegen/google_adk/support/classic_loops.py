"""A loop of the classic agents: the way in, a LoopAgent, the way out."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncGenerator, Optional

from google.adk.agents import BaseAgent, LoopAgent, SequentialAgent
from google.adk.events import Event

from . import values
from .classic import changed, done, handed, mark
from .loop_steps import Decide, Draft, Turn, enter
from .loops import Loop
from .recording import Recorder
from .timing import within


class Enter(BaseAgent):
    """The way into a loop: a full count of passes, and the request as the generator's input."""

    rules: Any
    source: str

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        changes: dict[str, Any] = {}
        enter(self.rules, Recorder(ctx.session.state, changes), handed(ctx, self.source))
        yield changed(self, ctx, changes)


class Leave(BaseAgent):
    """The way out of a loop: the last draft is its output."""

    rules: Any

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        if not done(self, ctx):
            changes: dict[str, Any] = {}
            state = Recorder(ctx.session.state, changes)
            self.rules.stopped(state)
            output = self.rules.leave(state)
            yield changed(self, ctx, {**changes, f"{self.rules.name}_output": output, **mark(self, ctx)})


class Timed(BaseAgent):
    """Runs a loop within its time limit; when time is up the last draft goes on, where the rules allow it."""

    rules: Any

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        failed = None
        try:
            async for item in within(self.rules.timeout, self.sub_agents[0].run_async(ctx)):
                yield item
        except asyncio.TimeoutError:
            changes: dict[str, Any] = {}
            try:
                self.rules.late(Recorder(ctx.session.state, changes))
            except values.StepError as error:
                failed = error
            yield changed(self, ctx, changes)  # how the loop ended stays readable
        if failed is not None:
            raise failed


def loop_sequence(
    rules: Loop, source: str, *, generator: Any, critic: Any, description: str, reviser: Optional[Any] = None
) -> SequentialAgent:
    """A loop: the way in, a LoopAgent, the way out."""
    author = generator if reviser is None else Turn.of(rules, generator, reviser)
    passes: BaseAgent = LoopAgent(
        name=f"{rules.name}_passes",
        sub_agents=[author, Draft.of(rules), critic, Decide.of(rules, reviser is not None)],
        max_iterations=rules.max_passes,
    )
    if rules.timeout is not None:
        passes = Timed(name=f"{rules.name}_timed", rules=rules, sub_agents=[passes])
    return SequentialAgent(
        name=rules.name,
        description=description,
        sub_agents=[
            Enter(name=f"{rules.name}_enter", rules=rules, source=source),
            passes,
            Leave(name=f"{rules.name}_leave", rules=rules),
        ],
    )
