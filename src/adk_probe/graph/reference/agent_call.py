"""One run of an agent, as the modules of the reference pass it to each other."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from msgspec import Struct

from adk_probe.graph import ir


class LateError(Exception):
    """An answer would come after the loop's time limit, so the loop does not wait for it."""


class AgentCall(Struct, frozen=True, kw_only=True):
    """One run of an agent.

    Attributes:
        name: the agent's name.
        path: its place in the graph.
        home: name of the node that the agent is, or belongs to.
        request: the agent's input, converted; for a member of a loop, the loop's request x.
        draft, feedback: what a member of a loop sees of earlier passes.
        deadline: the end of the loop's time limit, on the turn's clock; None if there is no limit.
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
