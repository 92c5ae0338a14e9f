"""What a LoopAgent needs between its agents: who writes, what the critic sees, whether to go on.

Whose turn it is, is in session state (``<name>_phase``: write or judge), and an answer that a step has taken is set
to False: when a run is resumed the engine may begin a pass anew, and what is done already must not be done again.
"""

from __future__ import annotations

from typing import Any, AsyncGenerator

from google.adk.agents import BaseAgent
from google.adk.events import Event, EventActions

from .loops import Loop
from .recording import Recorder
from .values import StepError


def event(agent: BaseAgent, ctx: Any, **actions: Any) -> Event:
    """An event of that agent that changes state or control."""
    return Event(author=agent.name, invocation_id=ctx.invocation_id, branch=ctx.branch, actions=EventActions(**actions))


def enter(rules: Loop, state: Any, request: Any) -> None:
    """Write into state what a loop begins with; the generator's input too."""
    name = rules.name
    state[f"{name}_generator_input"] = rules.begin(state, request)
    state[f"{name}_phase"] = "write"
    state[f"{name}_answer"] = state[f"{name}_evaluation"] = False


class Turn(BaseAgent):
    """Runs the generator on the first pass, the reviser on the others."""

    rules: Any

    @classmethod
    def of(cls, rules: Loop, generator: Any, reviser: Any) -> Turn:
        """The turn of a loop that has a reviser."""
        return cls(name=f"{rules.name}_author", rules=rules, sub_agents=[generator, reviser])

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        first = ctx.session.state[f"{self.rules.name}_iterations"] == 1
        async for item in self.sub_agents[0 if first else 1].run_async(ctx):
            yield item


class Draft(BaseAgent):
    """Takes the draft; what the critic sees goes into state."""

    rules: Any

    @classmethod
    def of(cls, rules: Loop) -> Draft:
        """The step between author and critic."""
        return cls(name=f"{rules.name}_draft", rules=rules)

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        name = self.rules.name
        changes: dict[str, Any] = {}
        state = Recorder(ctx.session.state, changes)
        if state[f"{name}_phase"] != "write":
            return
        state[f"{name}_critic_input"] = self.rules.drafted(state, state[f"{name}_answer"])
        state[f"{name}_answer"] = False
        state[f"{name}_phase"] = "judge"
        yield event(self, ctx, state_delta=changes)


class Decide(BaseAgent):
    """Takes the evaluation; escalates, which ends the LoopAgent, when the loop is over."""

    rules: Any
    revises: bool = False

    @classmethod
    def of(cls, rules: Loop, revises: bool) -> Decide:
        """The last step of a pass."""
        return cls(name=f"{rules.name}_router", rules=rules, revises=revises)

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        name = self.rules.name
        changes: dict[str, Any] = {}
        state = Recorder(ctx.session.state, changes)
        if state[f"{name}_phase"] != "judge":
            yield event(self, ctx, escalate=state[f"{name}_status"] != "running" or None)
            return
        state[f"{name}_phase"] = "write"
        evaluation, state[f"{name}_evaluation"] = state[f"{name}_evaluation"], False
        try:
            verdict = self.rules.judged(state, evaluation)
        except StepError:
            yield event(self, ctx, state_delta=changes)  # how the loop ended stays readable
            raise
        if not verdict.done:
            author = "reviser" if self.revises else "generator"
            state[f"{name}_{author}_input"] = verdict.value
        yield event(self, ctx, state_delta=changes, escalate=verdict.done or None)
