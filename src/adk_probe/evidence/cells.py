"""A cell as it is judged: what was observed, and whether that still counts."""

from __future__ import annotations

from typing import Any

import msgspec

from adk_probe.model import CapturedWarning, Kind, Outcome, Target


class Cell(msgspec.Struct, frozen=True):
    """A target × a probe, with what is known of it.

    Attributes:
        changed: names of the inputs that are other than when it was observed; it is stale unless empty.
    """

    probe: str
    target: Target
    outcome: Outcome
    message: str
    kind: Kind | None = None
    facts: dict[str, Any] = {}
    warnings: tuple[CapturedWarning, ...] = ()
    deprecations: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether the engine gave an answer, rather than our trouble or nothing at all."""
        return self.outcome is not Outcome.UNAVAILABLE and self.kind is not Kind.INFRASTRUCTURE
