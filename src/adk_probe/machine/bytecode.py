"""Bytecode of installed modules: a store of what was compiled here, and what lies in an environment.

The store holds bytecode by the SHA-256 of its source, for one build of Python, so that equal files of different wheels,
releases and environments share it. Only the harness fills it: what a target's own code wrote is never taken over.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from adk_probe.files import digest, to_json, write_atomic
from adk_probe.machine.verify import BYTECODE
from adk_probe.model import Interpreter

LIMIT_BYTES = 1 << 30
"""How large the stores of a machine get together; then what was not used for longest goes, down to three quarters."""

MOST_PATHS = 50_000
"""How many modules a store remembers as imported: google-adk 1.10.0 imports 2,500 that are installed."""

USED_SECONDS = 86_400.0
"""After how long a file that is used again is marked as used."""

SUM_BYTES = 32
NAME = re.compile(r"[0-9a-f]{64}")

Found = dict[str, tuple[int, ...]]
"""What lies in the bytecode folders of an environment: by path, what the file system says of it."""


class Store:
    """What was compiled for one build of Python.

    Attributes:
        folder: its files; each is named after the SHA-256 of a source.
        tag: what this Python puts into the names of its bytecode.
    """

    def __init__(self, home: Path, interpreter: Interpreter) -> None:
        build = (interpreter.implementation, interpreter.version, interpreter.build, interpreter.platform)
        self.home = home
        self.folder = home / digest(build)[:16]
        self.tag = f"{interpreter.implementation.lower()}-{interpreter.python.replace('.', '')}"

    def names(self) -> set[str]:
        """Return the SHA-256 of each source whose bytecode is here."""
        try:
            return {path.name for path in self.folder.iterdir() if NAME.fullmatch(path.name)}
        except OSError:
            return set()

    def read(self, name: str) -> bytes | None:
        """Return the bytecode of a source by its SHA-256, or None where it is missing or damaged."""
        path = self.folder / name
        try:
            data = path.read_bytes()
            if hashlib.sha256(data[SUM_BYTES:]).digest() != data[:SUM_BYTES]:
                path.unlink()
                return None
            if time.time() - path.stat().st_mtime > USED_SECONDS:
                os.utime(path)
        except OSError:
            return None
        return data[SUM_BYTES:]

    @property
    def _paths(self) -> Path:
        return self.folder.with_suffix(".json")

    def imported(self) -> set[str]:
        """Return the paths of sources, inside of environments, that targets have imported."""
        try:
            return set(msgspec.json.decode(self._paths.read_bytes(), type=list[str]))
        except (OSError, msgspec.DecodeError):
            return set()

    def learn(self, paths: Iterable[str]) -> None:
        """Remember sources that a target imported. Of two who do so at once, one may lose, and learns it again."""
        new, known = set(paths), self.imported()
        if new - known:
            kept = new if len(new | known) > MOST_PATHS else new | known
            write_atomic(self._paths, to_json(sorted(kept)))

    def prune(self) -> None:
        """Keep the stores of all builds below ``LIMIT_BYTES``."""
        found = []
        for path in self.home.glob("*/*"):
            with contextlib.suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in found)
        if total <= LIMIT_BYTES:
            return
        for _, size, path in sorted(found):
            with contextlib.suppress(OSError):
                path.unlink()
                total -= size
            if total <= LIMIT_BYTES * 3 // 4:
                return

    def compiled(self, source: str) -> str:
        """Return the path of a source's bytecode."""
        folder, _, name = source.rpartition("/")
        return f"{folder}/{BYTECODE}/{name.removesuffix('.py')}.{self.tag}.pyc"


def _folders(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield all that has the name of a folder of bytecode."""
    left = [str(folder)]
    while left:
        with os.scandir(left.pop()) as found:
            for entry in found:
                if entry.name == BYTECODE:
                    yield entry
                elif entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)


def scan(folder: Path) -> Found:
    """Return what lies in the bytecode folders of an environment.

    Raises:
        OSError: one cannot be read.
    """
    found: Found = {}
    for place in _folders(folder):
        entries = [place]
        if place.is_dir(follow_symlinks=False):
            with os.scandir(place.path) as inside:
                entries = list(inside)
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            # the time of the last change of the inode cannot be set back
            times = status.st_mtime_ns, status.st_ctime_ns
            found[os.path.relpath(entry.path, folder)] = (status.st_mode, status.st_ino, status.st_size, *times)
    return found


def stamp(found: Found) -> str:
    """Return a SHA-256 that changes when any file does."""
    return digest(ascii(sorted(found.items())).encode())


def clear(folder: Path) -> None:
    """Remove all bytecode from an environment.

    Raises:
        OSError: some of it cannot be removed.
    """
    for entry in list(_folders(folder)):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            Path(entry.path).unlink()


def place(folder: Path, store: Store, sources: Mapping[str, str]) -> None:
    """Put the bytecode that the store has of sources into an environment that has none.

    Args:
        sources: by path, the SHA-256 of each.

    Raises:
        OSError: it cannot be written; what is there may be cut off.
    """
    made = set()
    for source, name in sources.items():
        if (data := store.read(name)) is not None:
            path = folder / store.compiled(source)
            if path.parent not in made:
                path.parent.mkdir()
                made.add(path.parent)
            path.write_bytes(data)


def changed(folder: Path, store: Store, given: Found, found: Found, sources: Mapping[str, str]) -> list[str]:
    """Return the paths of bytecode that was given to an environment and is something else now."""
    names = {store.compiled(source): name for source, name in sources.items()}
    touched = [path for path in given if path in found and found[path] != given[path]]
    return sorted(path for path in touched if not _holds(folder / path, store.read(names.get(path, ""))))


def _holds(path: Path, data: bytes | None) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode) and path.read_bytes() == data
    except OSError:
        return False
