"""What this machine knows of its own targets, under ``.adk-probe``: never committed, always safe to delete."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from adk_probe.errors import InfrastructureError, InputError
from adk_probe.files import RETRY, read_file, to_json, write_atomic
from adk_probe.machine import locks
from adk_probe.machine.verify import Seal
from adk_probe.model import Interpreter, Target

HOME_VARIABLE = "ADK_PROBE_HOME"
WHOLE = ""
"""Stands for a whole target among its probes, where what was observed is a fault of the target."""


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was found out about one target here.

    Attributes:
        stamp: size and modification time of the interpreter's file, to notice another one.
        resolved: the day (UTC, ISO 8601) on which the pins were resolved.
        requires: what was resolved beside the release, from ``matrix.toml``.
        seconds_resolve: wall time of the resolution.
        installed: size in bytes and seconds of installing, or None while there is no complete environment.
        seal: what the environment is by its files, to notice when it is damaged.
        bytecode: the stamp of the bytecode that was given to the environment; empty when none was.
        unavailable: why the target cannot be made here; empty when it can.
        current: stands for what the target was found to be current with; see ``evidence.unchanged``.
    """

    interpreter: Interpreter | None = None
    stamp: tuple[int, int] = (0, 0)
    resolved: str = ""
    requires: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()
    seconds_resolve: float = 0.0
    installed: tuple[int, float] | None = None
    seal: Seal | None = None
    bytecode: str = ""
    unavailable: str = ""
    current: str = ""


class Local:
    """The folder of this machine's knowledge and environments."""

    def __init__(self, root: Path) -> None:
        self.folder = Path(os.environ.get(HOME_VARIABLE) or root / ".adk-probe")

    def environment(self, target: Target) -> Path:
        """Return the folder of a target's environment."""
        return self.folder / "envs" / target.key

    @property
    def bytecode(self) -> Path:
        """The folder of the bytecode that was compiled here."""
        return self.folder / "bytecode"

    def state(self, target: Target) -> State:
        """Return what is known of a target; nothing where the file is missing or broken."""
        try:
            return msgspec.json.decode(read_file(self.folder / "state" / f"{target.key}.json"), type=State)
        except (OSError, msgspec.DecodeError):
            return State()

    def keep(self, target: Target, state: State) -> None:
        """Remember what is known of a target."""
        write_atomic(self.folder / "state" / f"{target.key}.json", to_json(state))

    def requirements(self, target: Target) -> str:
        """Return what a target was resolved to, with hashes; empty where that is not known."""
        try:
            return self._requirements(target).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    def keep_requirements(self, target: Target, text: str) -> None:
        """Remember what a target was resolved to."""
        write_atomic(self._requirements(target), text.encode())

    def _requirements(self, target: Target) -> Path:
        # a file of its own: hashes are long, and every run reads the state of all targets
        return self.folder / "requirements" / f"{target.key}.txt"

    def observed(self, target: Target) -> dict[str, str]:
        """Return the SHA-256 of each observation of a target that was made here, by probe.

        A fault of the whole target stands under ``WHOLE``. Nothing where the file is missing or broken.
        """
        try:
            return msgspec.json.decode(
                (self.folder / "observed" / f"{target.key}.json").read_bytes(), type=dict[str, str]
            )
        except (OSError, msgspec.DecodeError):
            return {}

    def observe(self, target: Target, observed: dict[str, str]) -> None:
        """Remember which observations of a target were made here."""
        write_atomic(self.folder / "observed" / f"{target.key}.json", to_json(observed))

    def journal(self, target: Target) -> Path:
        """Return the file of what a run has seen of a target, and what is not in the evidence yet."""
        return self.folder / "journal" / f"{target.key}.jsonl"

    def journals(self) -> list[Path]:
        """Return the journals that interrupted runs left."""
        return sorted((self.folder / "journal").glob("*.jsonl"))

    @property
    def _due(self) -> Path:
        return self.folder / "reports-are-due"

    def reports_are_due(self) -> None:
        """Remember that evidence changes, so that a run that is interrupted before its reports has them made later."""
        write_atomic(self._due, b"")

    def are_reports_due(self) -> bool:
        """Whether evidence was changed from here since reports were made."""
        return self._due.exists()

    def reports_are_made(self) -> None:
        """Remember that the reports show the evidence there is."""
        self._due.unlink(missing_ok=True)

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
            # not only for writing: opening a pipe for that waits for a reader
            handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
        except OSError as error:
            where = f"{self.folder.name}/lock" if self.folder.is_dir() else self.folder.name
            raise InfrastructureError(f"{where}: cannot be written: {error.strerror}", RETRY) from None
        with os.fdopen(handle, "rb", buffering=0) as file:
            if not locks.take(file):
                raise InputError("another run is going on in this folder", "Wait for it to end.")
            yield


def stamp(path: str) -> tuple[int, int]:
    """Return a file's size and modification time (ns); zeros where it is gone."""
    try:
        stat = Path(path).stat()
    except OSError:
        return 0, 0
    return stat.st_size, stat.st_mtime_ns
