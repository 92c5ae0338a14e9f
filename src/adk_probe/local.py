"""What this machine knows of its own targets, under ``.adk-probe``: never committed, always safe to delete."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from adk_probe.errors import InfrastructureError, InputError
from adk_probe.files import read_file, to_json, write_atomic
from adk_probe.model import Interpreter, Target

HOME_VARIABLE = "ADK_PROBE_HOME"


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was found out about one target here.

    Attributes:
        stamp: size and modification time of the interpreter's file, to notice another one.
        resolved: the day (UTC, ISO 8601) on which the pins were resolved.
        requires: what was resolved beside the release, from ``matrix.toml``.
        seconds_resolve: wall time of the resolution.
        installed: size in bytes and seconds of installing, or None while there is no whole environment.
        made: the digest of the evidence that was made of the target here.
        making: the digest of what was being written; with the evidence there it was written, else not.
        unavailable: why the target cannot be made here; empty when it can.
    """

    interpreter: Interpreter | None = None
    stamp: tuple[int, int] = (0, 0)
    resolved: str = ""
    requires: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()
    seconds_resolve: float = 0.0
    installed: tuple[int, float] | None = None
    made: str = ""
    making: str = ""
    unavailable: str = ""

    def vouched(self, digest: str) -> str:
        """Return the digest of this machine's own evidence, given that of the evidence there is."""
        return self.making if self.making and self.making == digest else self.made


class Local:
    """The folder of this machine's knowledge and environments."""

    def __init__(self, root: Path) -> None:
        self.folder = Path(os.environ.get(HOME_VARIABLE) or root / ".adk-probe")

    def environment(self, target: Target) -> Path:
        """Return the folder of a target's environment."""
        return self.folder / "envs" / target.key

    def state(self, target: Target) -> State:
        """Return what is known of a target; nothing where the file is missing or broken."""
        try:
            return msgspec.json.decode(read_file(self.folder / "state" / f"{target.key}.json"), type=State)
        except (OSError, msgspec.DecodeError):
            return State()

    def keep(self, target: Target, state: State) -> None:
        """Remember what is known of a target."""
        write_atomic(self.folder / "state" / f"{target.key}.json", to_json(state))

    def unavailable(self) -> dict[str, str]:
        """Return why targets cannot be made here, by target key."""
        found = {}
        for path in sorted((self.folder / "state").glob("*.json")):
            with contextlib.suppress(OSError, msgspec.DecodeError):
                if words := msgspec.json.decode(read_file(path), type=State).unavailable:
                    found[path.stem] = words
        return found

    def forget(self, target: Target) -> None:
        """Remove a target's environment."""
        shutil.rmtree(self.environment(target), ignore_errors=True)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one run.

        Raises:
            InputError: another run holds it.
            InfrastructureError: the folder cannot be written.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # not for writing alone: opening a pipe for that waits for a reader
            handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
        except OSError as error:
            where = f"{self.folder.name}/lock" if self.folder.is_dir() else self.folder.name
            raise InfrastructureError(f"{where}: cannot be written: {error.strerror}") from None
        with os.fdopen(handle, "rb", buffering=0):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError("another run is going on in this folder", "Wait for it to end.") from None
            except OSError as error:
                raise InfrastructureError(f"{self.folder.name}/lock: cannot be locked: {error.strerror}") from None
            yield


def stamp(path: str) -> tuple[int, int]:
    """Return a file's size and modification time (ns); zeros where it is gone."""
    try:
        stat = Path(path).stat()
    except OSError:
        return 0, 0
    return stat.st_size, stat.st_mtime_ns
