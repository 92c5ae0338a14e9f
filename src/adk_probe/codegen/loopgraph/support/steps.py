"""The handlers of the graph's nodes. Each is called with the run and with what the node before it gave."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Callable, Optional

from . import guarding, tooling, values
from .prompts import Agent


async def start(_run: Any, given: Any) -> Any:
    """Hand on what enters a graph."""
    return given


@dataclass(frozen=True)
class Answer:
    """A step that is an agent's answer."""

    agent: Agent
    kept: bool = False

    async def __call__(self, run: Any, given: Any) -> Any:
        """Ask the agent."""
        name = self.agent.name
        taken = values.plain(values.take(self.agent.takes, given, name))
        output = await self.agent.answer(run, taken, taken)
        values.report(name, taken, output)
        return run.keep(name, output, self.kept)


@dataclass(frozen=True)
class Step:
    """A step that is a plain function.

    Attributes:
        says: whether it shows its value to the user too.
        guard: of a tool.
        sees: for a function that is shown the run, the loops before it.
    """

    name: str
    function: Callable[..., Any]
    takes: Any
    gives: Any
    says: bool = False
    guard: Optional[tooling.StepGuard] = None
    sees: Optional[tuple[str, ...]] = None
    kept: bool = False

    async def __call__(self, run: Any, given: Any) -> Any:
        """Call the function."""
        taken = values.take(self.takes, given, self.name)
        shown = values.plain(taken)
        output = await (self._guarded(run, taken, shown, self.guard) if self.guard else self._apply(run, taken))
        values.report(self.name, shown, output)
        if self.says:
            run.say(values.show(output))
        return run.keep(self.name, output, self.kept)

    async def _guarded(self, run: Any, taken: Any, shown: Any, guard: tooling.StepGuard) -> Any:
        guard.permit(self.name, run.state)
        if guard.plans(run.state):
            run.note(None, None, self.name, {"node_input": shown}, "planned", guarding.planned(self.name))
            return guard.planned
        output = await self._apply(run, taken)
        run.note(None, None, self.name, {"node_input": shown}, "ran", output)
        return output

    async def _apply(self, run: Any, taken: Any) -> Any:
        function = self.function
        if self.sees is not None:
            function = functools.partial(function, run=guarding.run_so_far(run.state, self.sees))
        result = await values.apply(function, taken, self.name)
        return values.give(self.gives, result, self.name, "BODY_FAILED")


@dataclass(frozen=True)
class Route:
    """A switch: it names a route, and leaves what it was given for the ``Relay`` behind it."""

    name: str
    function: Callable[..., Any]
    takes: Any
    routes: tuple[str, ...]
    kept: bool = False

    async def __call__(self, run: Any, given: Any) -> str:
        """Ask for the route."""
        route = await values.apply(self.function, values.take(self.takes, given, self.name), self.name)
        if route not in self.routes:
            text = f"{route!r} is none of its routes {list(self.routes)}"
            raise values.StepError("ROUTER_BAD_ROUTE", self.name, text)
        run.local[self.name] = given
        values.report(self.name, given, given, route)
        run.keep(self.name, given, self.kept)
        return str(route)


@dataclass(frozen=True)
class Relay:
    """Hands on what a switch was given: the engine itself hands on its route."""

    router: str

    async def __call__(self, run: Any, _given: Any) -> Any:
        """Return it."""
        return run.local[self.router]


@dataclass(frozen=True)
class Join:
    """A step that waits for every branch; ``sources`` are in the order of its edges."""

    name: str
    sources: tuple[str, ...]
    kept: bool = False

    async def __call__(self, run: Any, given: Any) -> Any:
        """Put the branches' outputs under their names."""
        output = dict(zip(self.sources, given))
        values.report(self.name, output, output)
        return run.keep(self.name, output, self.kept)


@dataclass(frozen=True)
class Ask:
    """A step that is a person's answer; the run stops for it."""

    name: str
    message: str
    shows: Any
    gives: Any
    kept: bool = False

    async def __call__(self, run: Any, given: Any) -> Any:
        """Take the answer, or stop."""
        shown = values.plain(values.take(self.shows, given, self.name))
        answer = await run.answered(self.name, self.message, shown)
        output = values.plain(values.take(self.gives, answer, self.name, "HUMAN_BAD_ANSWER"))
        values.report(self.name, shown, output)
        return run.keep(self.name, output, self.kept)


@dataclass(frozen=True)
class Gather:
    """Puts the outputs of a nested graph's ends under their names."""

    sources: tuple[str, ...]

    async def __call__(self, _run: Any, given: Any) -> Any:
        """Return them."""
        return dict(zip(self.sources, given))


@dataclass(frozen=True)
class End:
    """The end of the nested graph ``name``; what it returns is the output of that step."""

    name: str
    kept: bool = False

    async def __call__(self, run: Any, given: Any) -> Any:
        """Hand on what the graph's last step gave."""
        return run.keep(self.name, given, self.kept)
