"""Who may run a tool, what is only planned, and the journal of it all; no engine is needed here.

The host says who the user is: it puts the user's roles, as a list, into session state under ``user:roles``, and may
set ``guard:dry_run``. No model can write there. ``viewer < operator < admin``: who has a role may do what those below
may; any other role is held by whom the host gives it. A destructive tool that names no role needs ``operator``.

The journal is in session state too, an entry a key: ``journal/000000``, ``journal/000001``, ... A key is written once.
An entry is JSON text: some session stores leave nulls out of objects.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from . import values

ROLES_KEY = "user:roles"
DRY_RUN_KEY = "guard:dry_run"
LADDER = ("viewer", "operator", "admin")
DESTRUCTIVE_ROLE = "operator"


@dataclass(frozen=True)
class Tool:
    """A tool and its guard.

    Attributes:
        name: what models call it.
        function: what it does.
        gives: type of its result.
        takes: by parameter, its type.
        defaults: of those parameters that have one.
        role: the least role that may use it; None lets everyone.
        destructive: whether it changes what cannot be changed back: planned, not run, in a dry run.
        confirm: whether a person must agree to each call.
    """

    name: str
    function: Callable[..., Any]
    gives: Any
    takes: dict[str, Any]
    defaults: dict[str, Any] = field(default_factory=dict)
    role: Optional[str] = None
    destructive: bool = False
    confirm: bool = False

    def fault(self, arguments: dict[str, Any]) -> Optional[str]:
        """What is wrong with the arguments that a model gave, or None."""
        strange = sorted(set(arguments) - set(self.takes))
        if strange:
            return f"{self.name} has no parameter {strange[0]}"
        for name in self.takes:
            if name not in arguments and name not in self.defaults:
                return f"{self.name} needs {name}"
            if name in arguments and not self._fits(name, arguments[name]):
                return f"the argument {name} of {self.name} has the wrong type"
        return None

    def filled(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with defaults filled in, as JSON values."""
        return {name: self._plain(name, arguments.get(name, self.defaults.get(name))) for name in self.takes}

    async def run(self, arguments: dict[str, Any]) -> tuple[str, Any]:
        """Run it; return how that went (``ran`` or ``failed``) and what a model is told. It does not raise."""
        if self.destructive:
            values.logger.warning("destructive tool %s runs", self.name)
        try:
            taken = {name: self._taken(name, value) for name, value in arguments.items()}
            result = self.function(**taken)
            result = await result if inspect.isawaitable(result) else result
        except Exception as error:
            return "failed", failed(self.name, f"{type(error).__name__}: {error}")
        try:
            return "ran", values.give(self.gives, result, self.name, "TOOL_FAILED")
        except values.StepError:
            return "failed", failed(self.name, "its result is not of its type")

    def _fits(self, name: str, value: Any) -> bool:
        try:
            self._plain(name, value)
        except values.StepError:
            return False
        return True

    def _null(self, name: str, value: Any) -> bool:
        return value is None and name in self.defaults and self.defaults[name] is None

    def _plain(self, name: str, value: Any) -> Any:
        return None if self._null(name, value) else values.give(self.takes[name], value, self.name, "TOOL_FAILED")

    def _taken(self, name: str, value: Any) -> Any:
        return None if self._null(name, value) else values.take(self.takes[name], value, self.name, "TOOL_FAILED")


# ------------------------------------------------------------------ who may


def held(state: Any) -> list[str]:
    """The roles that the host has given the user; whatever else stands there gives none."""
    roles = state.get(ROLES_KEY)
    if isinstance(roles, str):
        roles = [roles]
    return sorted({role for role in roles if isinstance(role, str)}) if isinstance(roles, (list, tuple, set)) else []


def needed(role: Optional[str], destructive: bool) -> Optional[str]:
    """The least role that may do it."""
    return role or (DESTRUCTIVE_ROLE if destructive else None)


def permitted(role: Optional[str], roles: list[str]) -> bool:
    """Whether somebody with these roles has that role or one above it."""
    enough = LADDER[LADDER.index(role) :] if role in LADDER else (role,)
    return role is None or any(item in enough for item in roles)


def dry_run(state: Any) -> bool:
    """Whether the host has set the switch. What is not clearly off is on."""
    return state.get(DRY_RUN_KEY) not in (None, False)


@dataclass(frozen=True)
class Decided:
    """A call that does not come to run: how that was decided, what the model is told, the arguments as journalled."""

    decision: str
    result: dict[str, Any]
    arguments: dict[str, Any]


def decide(tool: Tool, arguments: dict[str, Any], state: Any, asks: bool) -> Optional[Decided]:
    """What becomes of a call that must not come to run; None lets it go on.

    Args:
        tool: what is called.
        arguments: what the model gave.
        state: session state.
        asks: whether a person can be asked.
    """
    role, roles = needed(tool.role, tool.destructive), held(state)
    if role is not None and not permitted(role, roles):
        text = f"{tool.name} needs the role {role}; the user has {', '.join(roles) or 'none'}"
        return Decided("refused", {"refused": text}, arguments)
    fault = tool.fault(arguments)
    if fault:
        return Decided("rejected", {"error": fault}, arguments)
    if tool.destructive and dry_run(state):
        return Decided("planned", planned(tool.name), tool.filled(arguments))
    if tool.confirm and not asks:
        text = f"{tool.name} needs a person's confirmation, and nobody can be asked for it here"
        return Decided("refused", {"refused": text}, tool.filled(arguments))
    return None


def planned(name: str) -> dict[str, Any]:
    """The result of a destructive tool in a dry run."""
    return {"planned": f"dry run: {name} is not executed"}


def denied(name: str) -> dict[str, Any]:
    """The result where a person says no."""
    return {"refused": f"a person has denied {name}"}


def failed(name: str, why: str) -> dict[str, Any]:
    """The result of a tool that raised or gave what it may not give."""
    return {"error": f"{name} failed: {why}"}


def unknown(name: str, known: tuple[str, ...]) -> dict[str, Any]:
    """The result of a tool that is not there."""
    return {"error": f"there is no tool {name}; there are {', '.join(known)}"}


# ------------------------------------------------------------------ the journal


def journal(state: Any) -> list[dict[str, Any]]:
    """The session's journal, oldest entry first."""
    entries: list[dict[str, Any]] = []
    while _key(len(entries)) in state:
        entries.append(json.loads(state[_key(len(entries))]))
    return entries


def note(
    state: Any,
    user: str,
    agent: Optional[str],
    number: Optional[int],
    tool: str,
    arguments: dict[str, Any],
    decision: str,
    result: Any,
) -> None:
    """Add an entry to the journal.

    Args:
        state: session state.
        user: who.
        agent: whose model called; None for a step of the graph.
        number: of the loop's pass, from 1; None outside of loops.
        tool: what was called.
        arguments: with what.
        decision: ``ran``, ``failed``, ``refused``, ``rejected`` (bad arguments), ``unknown`` (no such tool),
            ``planned`` (dry run), ``asked`` (a person, who has not yet answered), or ``denied`` (by the person).
        result: what the model was told.
    """
    entry = {
        "user": user,
        "roles": held(state),
        "agent": agent,
        "pass": number,
        "tool": tool,
        "arguments": arguments,
        "decision": decision,
        "result": result,
    }
    place = 0
    while _key(place) in state:
        place += 1
    state[_key(place)] = json.dumps(entry, ensure_ascii=False)
    values.logger.info("%s %s by %s", tool, decision, user, extra={"journal": entry})


def _key(place: int) -> str:
    return f"journal/{place:06d}"


def run_so_far(state: Any, loops: tuple[str, ...]) -> dict[str, Any]:
    """What a function sees of the run: how these loops ended, the journal, and whether it is a dry run."""
    ended = {
        name: {key: state[f"{name}_{key}"] for key in ("status", "iterations", "feedback")}
        for name in loops
        if state.get(f"{name}_status") not in (None, "running")
    }
    return {"loops": ended, "journal": journal(state), "dry_run": dry_run(state)}
