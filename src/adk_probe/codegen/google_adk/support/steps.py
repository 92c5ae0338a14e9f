"""What a step in Python does with its value: take it, work on it, report it, hand it on."""

from __future__ import annotations

from typing import Any, Callable

from . import content, values


async def run_step(function: Callable[..., Any], takes: Any, gives: Any, given: Any, step: str) -> Any:
    """Do a step that is a plain function, and report it; return its output."""
    taken = content.take(takes, given, step)
    shown = content.plain(taken)
    output = values.give(gives, await values.apply(function, taken, step), step, "BODY_FAILED")
    values.report(step, shown, output)
    return output


async def run_router(
    function: Callable[..., Any], arrives: Any, takes: Any, routes: tuple[str, ...], given: Any, step: str
) -> Any:
    """Ask a router for its route, and report it; return what it was given, which it hands on, and the route."""
    value = content.plain(content.take(arrives, given, step))
    route = await values.apply(function, content.take(takes, value, step), step)
    if route not in routes:
        raise values.StepError("ROUTER_BAD_ROUTE", step, f"{route!r} is none of its routes {list(routes)}")
    values.report(step, value, value, route)
    return value, route


def answered(gives: Any, shown: Any, answer: Any, step: str) -> Any:
    """Take a person's answer, and report it; return it as the step's output."""
    if isinstance(answer, dict) and set(answer) == {"result"}:  # how the engine wraps what is no object
        answer = answer["result"]
    output = content.plain(content.take(gives, answer, step, "HUMAN_BAD_ANSWER"))
    values.report(step, shown, output)
    return output
