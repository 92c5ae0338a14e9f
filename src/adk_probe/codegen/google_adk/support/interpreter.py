"""An agent that walks a graph in Python.

What a step gave is noted in session state under ``<graph>/<step>``. When a run is resumed the walk starts anew,
and steps that are noted are not run again: it goes on where it stopped.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any, AsyncGenerator, Callable, Optional

from google.adk.agents import BaseAgent
from google.adk.events import Event, EventActions
from google.genai import types

from . import steps, tooling, values
from .recording import Recorder

ASK = "adk_request_input"


@dataclass(frozen=True)
class Answer:
    """A step that is a model's answer."""

    agent: Any
    gives: Any


@dataclass(frozen=True)
class Step:
    """A step that is a plain function."""

    function: Callable[..., Any]
    takes: Any
    gives: Any
    says: bool = False
    guard: Optional[tooling.StepGuard] = None
    sees: Optional[tuple[str, ...]] = None


@dataclass(frozen=True)
class Route:
    """A step that hands on what it was given along one of its routes."""

    function: Callable[..., Any]
    arrives: Any
    takes: Any
    routes: tuple[str, ...]


@dataclass(frozen=True)
class Join:
    """A step that waits for every branch."""


@dataclass(frozen=True)
class Ask:
    """A step that is a person's answer; the run pauses for it."""

    message: str
    shows: Any
    gives: Any


@dataclass(frozen=True)
class Own:
    """A step that says itself how it is walked."""

    def events(self, walk: Walk, path: str, given: Any, kept: Optional[str]) -> AsyncGenerator[Event, None]:
        """Walk it; its output is then at ``path``, and in state under ``kept``."""
        raise NotImplementedError


@dataclass(frozen=True)
class Graph:
    """Steps by name, and edges (from, to, route); a step too, in another graph."""

    steps: dict[str, Any]
    edges: tuple[tuple[str, str, Optional[str]], ...]
    ends: tuple[str, ...]
    several: bool = False
    kept: frozenset[str] = frozenset()


class GraphAgent(BaseAgent):
    """Walks its graph once a turn."""

    graph: Any

    async def _run_async_impl(self, ctx: Any) -> AsyncGenerator[Event, None]:
        walk = Walk(self, ctx)
        yield walk.begin()
        async for event in walk.graph(self.graph, self.name, walk.request):
            yield event


@dataclass
class Walk:
    """One walk through the graph, perhaps resumed."""

    agent: Any
    ctx: Any
    request: str = ""
    run: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    routes: dict[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> Any:
        """The session's state."""
        return self.ctx.session.state

    def begin(self) -> Event:
        """Find out whether this is a new run or a resumed one."""
        parts = (self.ctx.user_content.parts if self.ctx.user_content else None) or []
        last = self.state.get(f"{self.agent.name}_run") or {}
        replies = [part.function_response for part in parts if part.function_response]
        self.answers = {reply.id: reply.response for reply in replies if reply.id}
        text = "".join(part.text or "" for part in parts)
        same = last.get("invocation") == self.ctx.invocation_id
        if last and (same or any(key.startswith(f"{last['id']}:") for key in self.answers)):
            self.run, self.request = last["id"], last["request"]
        else:
            self.run, self.request = self.ctx.invocation_id, text
        now = {"id": self.run, "request": self.request, "invocation": self.ctx.invocation_id}
        return self.event({f"{self.agent.name}_run": now})

    def event(self, state: dict[str, Any], text: Optional[str] = None) -> Event:
        """An event that changes state and, with ``text``, says something."""
        said = None if text is None else types.Content(role="model", parts=[types.Part(text=text)])
        return Event(
            author=self.agent.name,
            invocation_id=self.ctx.invocation_id,
            branch=self.ctx.branch,
            content=said,
            actions=EventActions(state_delta=state),
        )

    def noted(self, path: str) -> bool:
        """Whether this run has done the step; then its output is at hand."""
        note = self.state.get(path)
        if not isinstance(note, dict) or note.get("run") != self.run:
            return False
        self.outputs[path], self.routes[path] = json.loads(note["output"]), note.get("route")
        return True

    def note(
        self, path: str, output: Any, state: dict[str, Any], text: Optional[str] = None, route: Any = None
    ) -> Event:
        """Note what a step gave."""
        self.outputs[path], self.routes[path] = output, route
        # as text: some session stores leave nulls out of what they keep
        noted = {"run": self.run, "output": json.dumps(output), "route": route}
        return self.event({**state, path: noted}, text)

    async def graph(self, graph: Graph, path: str, given: Any) -> AsyncGenerator[Event, None]:
        """Walk a graph; its output is then at ``path``, unless it waits for a person."""
        todo = deque((to, given) for source, to, _ in graph.edges if source == "START")
        waiting: dict[str, dict[str, Any]] = {}
        runs: dict[str, int] = {}
        results: dict[str, Any] = {}
        while todo:
            name, value = todo.popleft()
            runs[name] = runs.get(name, 0) + 1
            here = f"{path}/{name}" if runs[name] == 1 else f"{path}/{name}@{runs[name]}"
            async for event in self.step(graph, name, here, value):
                yield event
            if here not in self.outputs:
                continue
            output, route = self.outputs[here], self.routes.get(here)
            if name in graph.ends:
                results[name] = output
            for source, to, label in graph.edges:
                if source != name or label != route:
                    continue
                if not isinstance(graph.steps[to], Join):
                    todo.append((to, output))
                    continue
                branches = waiting.setdefault(to, {})
                branches[name] = output
                expected = list(dict.fromkeys(start for start, end, _ in graph.edges if end == to))
                if len(branches) == len(expected):
                    todo.append((to, {branch: branches[branch] for branch in expected}))
        if results:
            self.outputs[path] = (
                {end: results[end] for end in graph.ends if end in results}
                if graph.several and len(results) > 1
                else next(iter(results.values()))
            )

    async def step(self, graph: Graph, name: str, path: str, given: Any) -> AsyncGenerator[Event, None]:
        """Do one step, unless it is noted."""
        step = graph.steps[name]
        if self.noted(path):
            return
        kept = f"{name}_output" if name in graph.kept else None
        if isinstance(step, Graph):
            events = self.nested(step, path, given, kept)
        elif isinstance(step, Answer):
            events = self.answer(step.agent, step.gives, path, given, kept)
        elif isinstance(step, Ask):
            events = self.ask(step, name, path, given, kept)
        elif isinstance(step, Own):
            events = step.events(self, path, given, kept)
        else:
            events = self.plain(step, name, path, given, kept)
        async for event in events:
            yield event

    async def nested(self, graph: Graph, path: str, given: Any, kept: Optional[str]) -> AsyncGenerator[Event, None]:
        """Walk a nested graph as one step."""
        async for event in self.graph(graph, path, given):
            yield event
        if path in self.outputs:
            output = self.outputs[path]
            yield self.note(path, output, {kept: output} if kept else {})

    async def plain(
        self, step: Any, name: str, path: str, given: Any, kept: Optional[str]
    ) -> AsyncGenerator[Event, None]:
        """Do a step that is Python."""
        text, route = None, None
        changes: dict[str, Any] = {}
        if isinstance(step, Join):
            output = given
            values.report(name, output, output)
        elif isinstance(step, Route):
            output, route = await steps.run_router(step.function, step.arrives, step.takes, step.routes, given, name)
        else:
            state, user = Recorder(self.state, changes), self.ctx.session.user_id
            output = await tooling.run_step(
                step.function, step.takes, step.gives, given, name, state, user, guard=step.guard, sees=step.sees
            )
            text = values.show(output) if step.says else None
        yield self.note(path, output, {**changes, kept: output} if kept else changes, text, route)

    async def answer(
        self, agent: Any, gives: Any, path: str, given: Any, kept: Optional[str], judges: str = ""
    ) -> AsyncGenerator[Event, None]:
        """Hand an agent its input, run it, and take its last words for its output; a critic ``judges`` a loop."""
        fails = (judges, "LOOP_BAD_CRITIC") if judges else (agent.name, "AGENT_BAD_OUTPUT")
        yield self.event({f"{agent.name}_input": given})
        async for event in agent.run_async(self.ctx):
            parts = (event.content.parts if event.content else None) or []
            said = [part for part in parts if part.text is not None]
            if event.author == agent.name and event.is_final_response() and said and not event.partial:
                text = "".join(part.text for part in said if not getattr(part, "thought", None))
                output = values.plain(values.take(gives, text, *fails))
                # noted with the answer itself, so that no crash can come between them
                noted = self.note(path, output, {kept: output} if kept else {})
                event.actions.state_delta.update(noted.actions.state_delta)
            yield event

    async def ask(
        self, step: Ask, name: str, path: str, given: Any, kept: Optional[str]
    ) -> AsyncGenerator[Event, None]:
        """Ask a person, or take the answer that has come."""
        shown = values.plain(values.take(step.shows, given, name))
        question = f"{self.run}:{path}"
        if question in self.answers:
            output = steps.answered(step.gives, shown, self.answers[question], name)
            yield self.note(path, output, {kept: output} if kept else {})
            return
        args = {"interruptId": question, "message": step.message, "payload": shown}
        asked = types.FunctionCall(id=question, name=ASK, args=args)
        event = self.event({})
        event.content = types.Content(role="model", parts=[types.Part(function_call=asked)])
        event.long_running_tool_ids = {question}
        yield event
