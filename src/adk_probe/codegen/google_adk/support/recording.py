"""State that notes what is written to it."""

from __future__ import annotations

from typing import Any


class Recorder(dict[str, Any]):
    """State that notes what is written to it, for the event that will carry the changes."""

    def __init__(self, state: dict[str, Any], changes: dict[str, Any]) -> None:
        super().__init__(state)
        self._changes = changes

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        self._changes[key] = value
