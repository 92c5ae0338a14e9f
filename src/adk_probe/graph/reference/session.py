"""What a run leaves behind while it is in progress: the growing trace, the session, and its failure."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from adk_probe.graph.reading.scenario import Turn
from adk_probe.graph.reference.trace import Call, LoopEnd, RunError, Step, ToolUse
from adk_probe.graph.values import MisfitError, Schemas, arrive


class FailedError(Exception):
    """The run failed with an error that is part of the trace."""

    def __init__(self, code: str, path: str, message: str, pass_: int | None = None) -> None:
        super().__init__(message)
        self.error = RunError(code=code, path=path, message=message, pass_=pass_)


class Session:
    """What lasts from turn to turn: the outputs of nodes by name, the loops' keys, the journal, the number of turns.

    Args:
        user: the session's user.
        roles: the user's roles, as the host knows them.
        dry_run: whether the host wants destructive tools to be planned instead of run.
    """

    def __init__(self, user: str, roles: tuple[str, ...], dry_run: bool) -> None:
        self.user = user
        self.roles = roles
        self.dry_run = dry_run
        self.turns = 0
        self.outputs: dict[str, Any] = {}
        self.state: dict[str, Any] = {}
        self.journal: list[dict[str, Any]] = []


class TurnRecorder:
    """The trace of one turn as it grows, and its clock (virtual seconds)."""

    def __init__(self, turn: Turn) -> None:
        self.crash = turn.crash
        self.clock = Decimal(0)
        self.steps: list[Step] = []
        self.calls: list[Call] = []
        self.tool_uses: list[ToolUse] = []
        self.pauses: list[str] = []
        self.crashes: list[str] = []
        self.loops: list[LoopEnd] = []

    def step(self, step: Step, name: str) -> None:
        """Record that a node is done. A crash here changes nothing else, because the run is resumed from here."""
        self.steps.append(step)
        if self.crash is not None and (self.crash.after, self.crash.pass_) == (name, step.pass_):
            self.crashes.append(step.path)


def taken(value: Any, kind: str, schemas: Schemas, path: str) -> Any:
    """Convert a value to the type ``kind`` that a node takes.

    Raises:
        FailedError: the value does not fit.
    """
    try:
        return arrive(value, kind, schemas)
    except MisfitError as misfit:
        raise FailedError("INPUT_MISFIT", path, f"the input is not a {kind}: {misfit}") from None
