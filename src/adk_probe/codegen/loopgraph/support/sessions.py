"""Sessions on disk: a file each, with the session's state and the engine's snapshots of the run that goes on.

Both are in one file, and are written together whenever the engine takes a snapshot, which it does when a node is done.
So whenever the process dies, what is found again is a whole number of steps. The journal of the tools is state too, but
is written at each entry: it also has what a step did that did not come to its end, and that is done again.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

VERSION = 1


class SessionError(Exception):
    """What is asked of a session cannot be done."""


class Session:
    """One session; the engine's snapshot store too.

    It has no length: the engine takes a store that is empty for no store at all.

    Args:
        folder: of all sessions.
        name: of this one; any text.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        file = quote(name, safe="")
        if len(file) > 100 or not file.strip("."):
            file = f"{file[:60].strip('.')}-{hashlib.sha256(name.encode()).hexdigest()}"
        self.path = folder / f"{file}.json"
        self.data: dict[str, Any] = {"version": VERSION, "session": name, "turn": 0, "status": "new", "state": {}}
        if self.path.exists():
            self.data = json.loads(self.path.read_text(encoding="utf-8"))
            if self.data.get("version") != VERSION:
                raise SessionError(f"{self.path.name} has version {self.data.get('version')!r}, not {VERSION}")

    def begin(self, request: str) -> None:
        """Begin a turn. What an earlier one left undone is given up; the session's state stays."""
        self.data["turn"] += 1
        self.data.update(request=request, local={}, answers={}, questions={}, said=[], snapshots={})
        self.end("running")

    def end(self, status: str, **more: Any) -> None:
        """Note how the run stands, and save."""
        self.data = {key: value for key, value in self.data.items() if key not in ("output", "error")}
        self.data.update(status=status, **more)
        self.write()

    # ------------------------------------------------------------------ the engine's snapshot store

    def save(self, graph_id: str, snapshot: Any) -> None:
        """Keep a snapshot."""
        self.data["snapshots"][graph_id] = snapshot
        self.write()

    def load(self, graph_id: str) -> Any:
        """The snapshot of a graph; KeyError if there is none."""
        return self.data["snapshots"][graph_id]

    # ------------------------------------------------------------------ the file

    def write(self) -> None:
        """Replace the file, so that a reader finds the old one or the new one, never a part."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=self.path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as part:
                json.dump(self.data, part, ensure_ascii=True)
                part.flush()
                os.fsync(part.fileno())
            Path(name).replace(self.path)
        except BaseException:
            Path(name).unlink()
            raise
