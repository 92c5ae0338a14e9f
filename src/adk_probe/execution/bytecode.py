"""Gives environments bytecode that was compiled here, takes away all other, and learns what targets import.

Most of a target's first import is compiling, and most of that was compiled for another target before. What is given is
compiled by the harness, from sources that a RECORD vouches for. What target code wrote only says which modules it
imports. Nothing here may fail a run: where there is no bytecode, Python compiles.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from adk_probe.errors import InfrastructureError
from adk_probe.execution.env import Failed
from adk_probe.execution.processes import bounded, tied
from adk_probe.inside import COMPILER
from adk_probe.machine import bytecode, verify
from adk_probe.machine.bytecode import Found, Store
from adk_probe.model import Fault, Interpreter, Kind, Outcome

BATCH = 200
"""Modules that one process compiles: about a second's work, so that an interruption does not wait for long."""

BATCH_SECONDS = 60.0


def give(
    store: Store, interpreter: Interpreter, folder: Path, before: str = "", stop: threading.Event | None = None
) -> Found:
    """Leave an environment with bytecode of the store and no other; return what then lies there.

    Args:
        folder: an environment whose sources were just found to be what their RECORDs say.
        before: the stamp of what was given to it; while that is the same, there is nothing to do.
        stop: keeps more from being compiled once it is set.

    Raises:
        Failed: what was there cannot be removed (``infrastructure``).
    """
    try:
        found = bytecode.scan(folder)
        if before and bytecode.stamp(found) == before:
            return found
        bytecode.clear(folder)
        try:
            _place(store, interpreter, folder, stop or threading.Event())
        except (OSError, verify.Damaged):
            # a file that is cut off would fail an import
            bytecode.clear(folder)
        return bytecode.scan(folder)
    except OSError as error:
        words = f"bytecode cannot be removed from the environment: {error.strerror}"
        raise Failed(Fault(Outcome.ERROR, words, Kind.INFRASTRUCTURE)) from None


def _place(store: Store, interpreter: Interpreter, folder: Path, stop: threading.Event) -> None:
    sources, compiled, imported = verify.sources(folder), store.names(), store.imported()
    missing = {path: name for path, name in sources.items() if path in imported and name not in compiled}
    if missing:
        _compile(store, interpreter, folder, missing, stop)
        compiled = store.names()
    bytecode.place(folder, store, {path: name for path, name in sources.items() if name in compiled})
    if missing:
        store.prune()


def _compile(
    store: Store, interpreter: Interpreter, folder: Path, sources: Mapping[str, str], stop: threading.Event
) -> None:
    """Compile sources into the store; what cannot be is left out."""
    # isolated and without site-packages, so that nothing runs but the interpreter's own
    command = tied("python", [interpreter.path, "-I", "-S", "-B", str(COMPILER)])
    pairs = [(str(folder / path), name) for path, name in sorted(sources.items())]
    for start in range(0, len(pairs), BATCH):
        if stop.is_set():
            return
        job = {"store": str(store.folder), "sources": pairs[start : start + BATCH]}
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            bounded(command, BATCH_SECONDS, stdin=json.dumps(job).encode("ascii"), env=_environment())


def _environment() -> dict[str, str]:
    return {key: os.environ[key] for key in ("LD_LIBRARY_PATH",) if key in os.environ}


def look(store: Store, folder: Path, given: Found) -> str:
    """Learn what a target imported; return what in its bytecode was changed, naming a file, or nothing.

    Args:
        folder: its environment, whose sources were just found to be what their RECORDs say.
        given: what lay there before it ran.
    """
    try:
        found = bytecode.scan(folder)
        if found == given:
            return ""
        sources = verify.sources(folder)
        if changed := bytecode.changed(folder, store, given, found, sources):
            return f"{verify.text(changed[0])} was changed"
    except (OSError, verify.Damaged) as error:
        return f"its bytecode cannot be looked at: {error.strerror if isinstance(error, OSError) else error}"
    with contextlib.suppress(InfrastructureError):
        store.learn(source for source in sources if store.compiled(source) in found)
    return ""
