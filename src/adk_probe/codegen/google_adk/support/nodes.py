"""Nodes of the workflow that are Python: steps, routers and joins."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

from google.adk.events.event import Event
from google.adk.workflow import FunctionNode
from google.genai import types

from . import content, steps, tooling, values


def step(
    function: Callable[..., Any],
    name: str,
    takes: Any,
    gives: Any,
    *,
    keep: bool,
    message: bool,
    guard: Optional[tooling.StepGuard] = None,
    sees: Optional[tuple[str, ...]] = None,
) -> FunctionNode:
    """A function as a node.

    ``keep`` puts its output into state; ``message`` also says it to the user; ``guard`` and ``sees`` are explained in
    ``tooling``.
    """

    async def run(ctx: Any, node_input: Any) -> Event:
        user = ctx.get_invocation_context().session.user_id
        output = await tooling.run_step(
            function, takes, gives, node_input, name, ctx.state, user, guard=guard, sees=sees
        )
        if keep:
            ctx.state[f"{name}_output"] = output
        if not message:
            return Event(output=output)
        said = types.Content(role="model", parts=[types.Part(text=values.show(output))])
        return Event(output=output, content=said)

    return FunctionNode(func=run, name=name)


def router(
    function: Callable[..., Any],
    name: str,
    arrives: Any,
    takes: Any,
    routes: tuple[str, ...],
    *,
    keep: bool,
    same: Mapping[str, str] = {},
) -> FunctionNode:
    """A router as a node: it hands on what it was given, along one of its routes.

    Of routes that lead to one place the graph has the edge once; ``same`` says by which of them it goes.
    """

    async def run(ctx: Any, node_input: Any) -> Event:
        output, route = await steps.run_router(function, arrives, takes, routes, node_input, name)
        if keep:
            ctx.state[f"{name}_output"] = output
        return Event(output=output, route=same.get(route, route))

    return FunctionNode(func=run, name=name)


def join(name: str, sources: dict[str, Any]) -> FunctionNode:
    """What follows a ``JoinNode``: brings the branches into the order of the graph, which 2.0 does not keep.

    ``sources`` are the branches' last steps with the types of their outputs: when a run is resumed, 2.0 gives the
    answer of an agent as text.
    """

    def run(node_input: Any) -> Event:
        output = {
            source: content.plain(content.take(kind, node_input[source], name)) for source, kind in sources.items()
        }
        values.report(name, output, output)
        return Event(output=output)

    return FunctionNode(func=run, name=name)


def keep(name: str, owner: str) -> FunctionNode:
    """A node that hands on what it was given, and keeps it in state as the output of ``owner``."""

    def run(ctx: Any, node_input: Any) -> Event:
        ctx.state[f"{owner}_output"] = content.plain(node_input)
        return Event(output=content.plain(node_input))

    return FunctionNode(func=run, name=name)
