"""A loop as a step of the graph that an agent walks in Python."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, AsyncGenerator, Optional

from google.adk.events import Event

from . import values
from .interpreter import Own, Walk
from .loops import Loop
from .timing import within


@dataclass(frozen=True)
class Passes(Own):
    """A step that is a loop."""

    rules: Loop
    generator: Any
    critic: Any
    reviser: Optional[Any] = None

    async def events(self, walk: Walk, path: str, given: Any, kept: Optional[str]) -> AsyncGenerator[Event, None]:
        """Run the loop, within its time limit if it has one; its output is its last draft."""
        rules = self.rules
        state: dict[str, Any] = {}
        if rules.exits:
            state[f"{rules.name}_exits"] = walk.state.get(f"{rules.name}_exits", 0)
        events = self._passes(walk, path, rules.begin(state, given), state)
        try:
            async for event in events if rules.timeout is None else within(rules.timeout, events):
                yield event
        except asyncio.TimeoutError:
            try:
                rules.late(state)
            except values.StepError:
                yield walk.event(state)  # how the loop ended stays readable
                raise
        draft = rules.leave(state)
        yield walk.note(path, draft, {**state, kept: draft} if kept else state)

    async def _passes(self, walk: Walk, path: str, value: Any, state: dict[str, Any]) -> AsyncGenerator[Event, None]:
        """Generate, criticise, revise or pass. ``value`` is the request; ``state`` takes the loop's place."""
        rules, author, count = self.rules, self.generator, 0
        done = False
        while not done:
            count += 1
            yield walk.event(state)
            for agent, gives in ((author, rules.draft), (self.critic, rules.evaluation)):
                here = f"{path}/{agent.name}@{count}"
                if not walk.noted(here):
                    judges = rules.name if agent is self.critic else ""
                    async for event in walk.answer(agent, gives, here, value, None, judges):
                        yield event
                if here not in walk.outputs:  # the exit tool has ended the critic's turn
                    for key in (f"{rules.name}_exits", f"{rules.name}_exit_pass"):
                        state[key] = walk.state.get(key, 0)
                    yield walk.note(here, None, {})
                if agent is not self.critic:
                    value = rules.drafted(state, walk.outputs[here])
                    yield walk.event(state)
            try:
                verdict = rules.judged(state, walk.outputs[here])
            except values.StepError:
                yield walk.event(state)  # how the loop ended stays readable
                raise
            done, value, author = verdict.done, verdict.value, self.reviser or self.generator
