"""Steps that the classic agents lack: plain functions and joins.

Every step finds its input in session state, where the step before it left its output.
"""

from __future__ import annotations

from typing import Any, AsyncGenerator, Optional

from google.adk.agents import BaseAgent, SequentialAgent
from google.adk.events import Event, EventActions
from google.genai import types

from . import tooling, values
from .recording import Recorder

START = "START"


def handed(ctx: Any, step: str) -> Any:
    """The output of a step of this run; the user's message for ``START``."""
    return ctx.session.state[f"{step}_output"]


class Receive(BaseAgent):
    """Puts the user's message into state, as the output of ``START``, for the first step to take."""

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        parts = (ctx.user_content.parts if ctx.user_content else None) or []
        text = "".join(part.text or "" for part in parts)
        yield changed(self, ctx, {f"{START}_output": text})


def changed(agent: BaseAgent, ctx: Any, state: dict[str, Any], text: Optional[str] = None) -> Event:
    """An event of that agent that changes state and, with ``text``, says something."""
    said = None if text is None else types.Content(role="model", parts=[types.Part(text=text)])
    return Event(
        author=agent.name,
        invocation_id=ctx.invocation_id,
        branch=ctx.branch,
        content=said,
        actions=EventActions(state_delta=state),
    )


def done(agent: BaseAgent, ctx: Any) -> bool:
    """Whether this run has done the step already: when it is resumed, the engine may call for it again."""
    return bool(ctx.session.state.get(f"{agent.name}_done") == ctx.invocation_id)


def mark(agent: BaseAgent, ctx: Any) -> dict[str, Any]:
    """What says that this run has done the step."""
    return {f"{agent.name}_done": ctx.invocation_id}


class Step(BaseAgent):
    """A plain function as an agent: no model is called."""

    function: Any
    takes: Any
    gives: Any
    source: str
    says: bool = False
    guard: Any = None
    sees: Any = None

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        if done(self, ctx):
            return
        changes: dict[str, Any] = {}
        output = await tooling.run_step(
            self.function,
            self.takes,
            self.gives,
            handed(ctx, self.source),
            self.name,
            Recorder(ctx.session.state, changes),
            ctx.session.user_id,
            guard=self.guard,
            sees=self.sees,
        )
        said = values.show(output) if self.says else None
        yield changed(self, ctx, {**changes, f"{self.name}_output": output, **mark(self, ctx)}, said)


class Given(BaseAgent):
    """Hands an agent its input: the output of the step before it."""

    agent: str
    source: str

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        fresh = {f"{self.agent}_output": False}  # there is no answer yet
        yield changed(self, ctx, {f"{self.agent}_input": handed(ctx, self.source), **fresh})


def answering(agent: Any, source: str) -> SequentialAgent:
    """An agent, with its input handed to it first."""
    return SequentialAgent(
        name=f"{agent.name}_step",
        sub_agents=[Given(name=f"{agent.name}_given", agent=agent.name, source=source), agent],
    )


class Join(BaseAgent):
    """Brings the branches together: a dict from the name of each branch's last step to its output."""

    sources: list[str]

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        if done(self, ctx):
            return
        output = {source: handed(ctx, source) for source in self.sources}
        values.report(self.name, output, output)
        yield changed(self, ctx, {f"{self.name}_output": output, **mark(self, ctx)})


class Output(BaseAgent):
    """The end of a nested workflow: its last step's output is its own."""

    owner: str
    source: str

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        yield changed(self, ctx, {f"{self.owner}_output": handed(ctx, self.source)})
