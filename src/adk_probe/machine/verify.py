"""An installed environment against its RECORD files: whatever is missing, changed or in no RECORD is named.

uv names in the RECORD of each distribution all that it installed, with size and hash, scripts included. What no RECORD
names is the virtual environment's own; its hashes are taken before anything is installed. Bytecode is left out, since
:mod:`adk_probe.machine.bytecode` looks after it.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from adk_probe.files import digest

RECORD = re.compile(r"^(lib/[^/]+/site-packages)/([^/]+)\.dist-info/RECORD$")
BYTECODE = "__pycache__"
# uv's own, which comes and goes
LOCK = ".lock"
ALGORITHMS = ("sha256", "sha384", "sha512")


class Damaged(Exception):
    """An environment is not what was installed.

    Attributes:
        faults: a sentence a file, at least one.
        distributions: ``name-version`` of those whose RECORD says otherwise.
    """

    def __init__(self, faults: tuple[str, ...], distributions: tuple[str, ...] = ()) -> None:
        super().__init__(faults[0] + (f", and {len(faults) - 1} more" if len(faults) > 1 else ""))
        self.faults = faults
        self.distributions = distributions


class Seal(msgspec.Struct, frozen=True):
    """What an environment was when it was last found undamaged.

    Attributes:
        stamp: SHA-256 over path, mode, size and times of each file; while it is the same, no file is read.
        own: of each file that no hash in a RECORD vouches for, by path: its SHA-256, or where it links to.
        folders: those that hold nothing.
    """

    stamp: str
    own: dict[str, str]
    folders: tuple[str, ...]


class _Scan(msgspec.Struct):
    """The files of an environment by path, and the folders that hold nothing; bytecode left out."""

    files: dict[str, os.stat_result]
    folders: tuple[str, ...]

    @property
    def stamp(self) -> str:
        rows = sorted((path, *_stamped(found)) for path, found in self.files.items())
        # escaped, since a name need not be text that UTF-8 can hold
        return digest(ascii((rows, self.folders)).encode())


class _Entry(msgspec.Struct, frozen=True):
    """What a RECORD says of a file."""

    algorithm: str
    hash: str
    size: str
    distribution: str


def own_files(folder: Path) -> dict[str, str]:
    """Return the files of an environment in which nothing is installed yet, as :class:`Seal` keeps them."""
    return {path: _identity(folder / path) for path in _scan(folder).files}


def seal(folder: Path, own: Mapping[str, str]) -> Seal:
    """Compare a new environment with its RECORD files; ``own`` is what was there before them.

    Raises:
        Damaged: it differs.
    """
    scan = _readable(folder)
    entries = _entries(folder, scan.files)
    unhashed = (path for path, said in entries.items() if not any(entry.hash for entry in said))
    vouched = {path: _identity(folder / path) for path in unhashed if path in scan.files}
    everything = {**own, **vouched}
    _compare(folder, scan, entries, everything)
    return Seal(scan.stamp, everything, scan.folders)


def check(folder: Path, before: Seal) -> Seal:
    """Compare an environment with what it was; return its seal, with another stamp where only times changed.

    Raises:
        Damaged: it differs.
    """
    scan = _readable(folder)
    stamp = scan.stamp
    if stamp == before.stamp:
        return before
    _compare(folder, scan, _entries(folder, scan.files), before.own)
    if new := sorted(set(scan.folders) - set(before.folders)):
        # an empty folder can be imported
        raise Damaged(tuple(f"{text(path)} is an empty folder that was not installed" for path in new))
    return msgspec.structs.replace(before, stamp=stamp)


def sources(folder: Path) -> dict[str, str]:
    """Return the installed Python files of an environment, by path, with the SHA-256 that one RECORD gives of each.

    That they are what the RECORDs say is for :func:`check` to find out.

    Raises:
        Damaged: a RECORD cannot be read.
    """
    records = [path.relative_to(folder).as_posix() for path in folder.glob("lib/*/site-packages/*.dist-info/RECORD")]
    found = {}
    for path, said in _entries(folder, records).items():
        hashes = {(entry.algorithm, entry.hash) for entry in said}
        if path.endswith(".py") and len(hashes) == 1 and said[0].algorithm == "sha256":
            found[path] = _hexadecimal(said[0].hash)
    return found


def _hexadecimal(hashed: str) -> str:
    try:
        return base64.urlsafe_b64decode(hashed + "=" * (-len(hashed) % 4)).hex()
    except ValueError:
        return ""


def _readable(folder: Path) -> _Scan:
    try:
        return _scan(folder)
    except OSError as error:
        place = posixpath.relpath(error.filename, folder) if error.filename else folder.name
        raise Damaged((f"{place} cannot be read: {error.strerror}",)) from None


def _scan(folder: Path) -> _Scan:
    files: dict[str, os.stat_result] = {}
    empty = []
    left = [""]
    while left:
        place = left.pop()
        with os.scandir(folder / place) as found:
            entries = [entry for entry in found if entry.name != BYTECODE]
        if not entries:
            empty.append(place)
        for entry in entries:
            path = f"{place}/{entry.name}" if place else entry.name
            if entry.is_dir(follow_symlinks=False):
                left.append(path)
            elif path != LOCK:
                files[path] = entry.stat(follow_symlinks=False)
    return _Scan(files, tuple(sorted(empty)))


def _stamped(found: os.stat_result) -> tuple[int, ...]:
    # the time of the last change of the inode, since the other one can be set back
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _entries(folder: Path, files: Iterable[str]) -> dict[str, list[_Entry]]:
    """Return what all RECORDs say, by path; two distributions may claim one file."""
    found: dict[str, list[_Entry]] = {}
    for record in files:
        if named := RECORD.match(record):
            for path, entry in _rows(folder / record, named[1], named[2]):
                found.setdefault(path, []).append(entry)
    return found


def _rows(record: Path, packages: str, distribution: str) -> Iterator[tuple[str, _Entry]]:
    try:
        with record.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file, strict=True) if row]
    except (OSError, ValueError, csv.Error):
        raise Damaged((f"{distribution}.dist-info/RECORD cannot be read",), (distribution,)) from None
    for path, *more in rows:
        said, size, *_ = [*more, "", ""]
        algorithm, _, value = said.partition("=")
        known = algorithm in ALGORITHMS
        place = posixpath.normpath(posixpath.join(packages, path))
        if BYTECODE not in place.split("/"):
            yield place, _Entry(algorithm if known else "", value if known else "", size, distribution)


def _compare(folder: Path, scan: _Scan, entries: Mapping[str, list[_Entry]], own: Mapping[str, str]) -> None:
    """Raise Damaged where files differ from what RECORDs say, or from ``own`` where those say nothing."""
    faults, distributions = [], set()
    for path in sorted(scan.files.keys() | entries.keys() | own.keys()):
        said = entries.get(path, [])
        if fault := _fault(folder, path, scan.files.get(path), said, own.get(path)):
            faults.append(f"{text(path)} {fault}")
            distributions |= {entry.distribution for entry in said}
    if faults:
        raise Damaged(tuple(faults), tuple(sorted(distributions)))


def _fault(folder: Path, path: str, found: os.stat_result | None, said: list[_Entry], own: str | None) -> str:
    hashed = [entry for entry in said if entry.hash]
    if found is None:
        return "is missing"
    if not hashed and own is None:
        return "was not installed with the rest"
    try:
        if not hashed:
            return "" if _identity(folder / path) == own else "was changed"
        return "" if _is_one_of(folder / path, found, hashed) else "is not what its RECORD says"
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def _is_one_of(path: Path, found: os.stat_result, entries: list[_Entry]) -> bool:
    if not stat.S_ISREG(found.st_mode):
        return False
    fitting = [entry for entry in entries if entry.size in ("", str(found.st_size))]
    return any(_hash(path, entry.algorithm) == entry.hash for entry in fitting)


def _hash(path: Path, algorithm: str) -> str:
    """Return a file's hash as RECORD writes it."""
    with path.open("rb") as file:
        return urlsafe(hashlib.file_digest(file, algorithm).digest())


def urlsafe(hashed: bytes) -> str:
    """Return a hash in the letters of a RECORD."""
    return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode("ascii")


def text(path: str) -> str:
    """Return a path as messages show it: a name need not be text that UTF-8 can hold."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _identity(path: Path) -> str:
    """Return what a file is: where a link leads to, the SHA-256 of a file, or that it is neither."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return f"link to {text(str(path.readlink()))}"
    return _hash(path, "sha256") if stat.S_ISREG(mode) else f"special {stat.S_IFMT(mode):o}"
