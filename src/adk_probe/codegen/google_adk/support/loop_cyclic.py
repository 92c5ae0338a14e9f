"""A loop as a cycle of the graph: generator, critic, router, and an edge back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

from google.adk.events.event import Event
from google.adk.workflow import START, FunctionNode, Workflow

from . import loop_ends
from .loops import Loop


@dataclass(frozen=True)
class LoopNodes:
    """The nodes of a loop in a workflow: where one enters it, where one leaves it, and the edges between."""

    enter: Any
    leave: Any
    edges: list[Any]


def loop_nodes(rules: Loop, *, generator: Any, critic: Any, reviser: Optional[Any] = None) -> LoopNodes:
    """A loop's nodes: the agents, and between them what hands on the request, the draft and the feedback."""
    if rules.timeout is None and not rules.exits:
        return _cycle(rules, generator, critic, reviser)
    # in a workflow of its own: a critic that ends with the exit tool gives no output, and the engine would call it
    # again when a run is resumed that waits behind the loop
    inner = _cycle(rules, generator, critic, reviser, inside=True)
    edges = [(START, inner.enter), *inner.edges]
    timed = loop_ends.within(rules, Workflow(name=f"{rules.name}_cycle", edges=edges))
    return LoopNodes(timed, timed, [])


def _cycle(rules: Loop, generator: Any, critic: Any, reviser: Optional[Any], *, inside: bool = False) -> LoopNodes:
    def begin(ctx: Any, node_input: Any) -> Event:
        return Event(output=rules.begin(ctx.state, node_input))

    def draft(ctx: Any, node_input: Any) -> Event:
        return Event(output=rules.drafted(ctx.state, node_input))

    def verify_route(ctx: Any, node_input: Any) -> Event:
        verdict = rules.judged(ctx.state, node_input)
        return Event(output=verdict.value, route="done" if verdict.done else "retry")

    def end(ctx: Any, node_input: Any) -> Event:
        return Event(output=node_input if inside else loop_ends.leave(rules, ctx))

    name = rules.name
    enter = FunctionNode(func=begin, name=f"{name}_enter")
    drafted = FunctionNode(func=draft, name=f"{name}_draft")
    router = FunctionNode(func=verify_route, name=f"{name}_router")
    leave = FunctionNode(func=end, name=f"{name}_leave" if inside else name)
    edges: list[Any] = [
        (enter, generator, drafted, critic, router),
        (router, {"retry": reviser or generator, "done": leave}),
    ]
    if reviser is not None:
        edges.append((reviser, drafted))
    return LoopNodes(enter, leave, edges)
