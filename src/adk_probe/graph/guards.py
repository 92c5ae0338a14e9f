"""Who may run a tool, and what the model reads if it does not run: the policy for the projects of every engine.

``docs/remediation.md`` explains the policy for users. The texts are part of the semantics, because a model reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adk_probe.graph.ir import Guard

LADDER = ("viewer", "operator", "admin")
"""Roles in rising order, each of which includes those before it. Any other role stands for itself."""

DESTRUCTIVE_ROLE = "operator"
"""The role that a destructive tool needs if its guard names none."""


MISFIT = "its result is not of its type"
"""The reason in the error message if a tool's result does not fit its declared type."""


def needed(guard: Guard | None) -> str | None:
    """Return the lowest role that may run a tool with this guard; None means that everyone may."""
    if guard is None:
        return None
    return guard.role or (DESTRUCTIVE_ROLE if guard.destructive else None)


def permitted(role: str | None, held: Iterable[str]) -> bool:
    """Whether somebody with the roles ``held`` has the role, or one above it."""
    if role is None:
        return True
    enough = LADDER[LADDER.index(role) :] if role in LADDER else (role,)
    return any(item in enough for item in held)


def refused(tool: str, role: str, held: Sequence[str]) -> dict[str, Any]:
    """Return the result of a call by a user without the role."""
    return {"refused": f"{tool} needs the role {role}; the user has {', '.join(sorted(set(held))) or 'none'}"}


def planned(tool: str) -> dict[str, Any]:
    """Return the result of a destructive call in a dry run."""
    return {"planned": f"dry run: {tool} is not executed"}


def unasked(tool: str) -> dict[str, Any]:
    """Return the result of a call that a person must confirm, where nobody can be asked."""
    return {"refused": f"{tool} needs a person's confirmation, and nobody can be asked for it here"}


def denied(tool: str) -> dict[str, Any]:
    """Return the result of a call that a person has denied."""
    return {"refused": f"a person has denied {tool}"}


def failed(tool: str, why: str) -> dict[str, Any]:
    """Return the result of a call in which the tool raised, or whose result does not fit its type."""
    return {"error": f"{tool} failed: {why}"}


def unknown(tool: str, known: Sequence[str]) -> dict[str, Any]:
    """Return the result of a call of a tool that the agent does not have."""
    return {"error": f"there is no tool {tool}; there are {', '.join(known)}"}


def argument_fault(tool: str, args: Mapping[str, Any], parameters: Sequence[tuple[str, bool, bool]]) -> str | None:
    """Return what is wrong with a call's arguments, or None.

    Args:
        tool: the tool's name.
        args: the arguments from the model.
        parameters: for each parameter its name, whether it has a default, and whether the given value fits its type.
    """
    names = [name for name, _, _ in parameters]
    strange = sorted(args.keys() - set(names))
    if strange:
        return f"{tool} has no parameter {strange[0]}"
    for name, optional, fits in parameters:
        if name not in args and not optional:
            return f"{tool} needs {name}"
        if name in args and not fits:
            return f"the argument {name} of {tool} has the wrong type"
    return None
