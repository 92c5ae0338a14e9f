"""Values as this engine hands them on: what a person said arrives as content, of which the text counts."""

from __future__ import annotations

from typing import Any

from google.genai import types

from . import values


def plain(value: Any) -> Any:
    """The value as JSON values; of what a person said, the text."""
    if isinstance(value, types.Content):
        return "".join(part.text or "" for part in value.parts or [] if not getattr(part, "thought", None))
    return values.plain(value)


def take(kind: Any, value: Any, step: str, code: str = "INPUT_MISFIT") -> Any:
    """What ``step`` makes of what it is given; see ``values.take``."""
    return values.take(kind, plain(value), step, code)
