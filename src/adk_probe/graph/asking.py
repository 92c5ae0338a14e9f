"""One run of an agent, as the reference hands it around."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from msgspec import Struct

from adk_probe.graph import ir


class LateError(Exception):
    """An answer would come after the loop's time is up; nobody waits for it."""


class Ask(Struct, frozen=True, kw_only=True):
    """One run of an agent.

    Attributes:
        name: the agent's name; ``path`` its place.
        home: name of the node that it is or belongs to.
        request: its input as it takes it; for a loop's member the loop's request x.
        draft, feedback: what a loop's member sees of earlier passes.
        deadline: of its loop, on the turn's clock; None if it has all the time.
    """

    name: str
    path: str
    home: str
    config: ir.AgentConfig
    request: Any
    pass_: int | None = None
    draft: Any = None
    feedback: str | None = None
    deadline: Decimal | None = None
