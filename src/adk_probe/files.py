"""Read files without waiting, write them completely or not at all, and encode equal values as equal JSON."""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.errors import Faults, InfrastructureError, InputError

CHECK = "Check its path, and that you may read it."
"""What to do about a file that cannot be read."""
REMOVE = "Remove it yourself and run again."
"""What to do about a file that is in the way and cannot be removed."""
RETRY = "Nothing that was there is lost; make room or fix the rights and run again."
"""What to do about a file that cannot be written."""
PART = ".part"
"""The end of a file's name until it is written completely."""
NAMED = 40
"""How many characters of its name such a file keeps, since names have a limit of their own."""


def to_json(value: Any) -> bytes:
    """Return ``value`` as indented JSON with sorted keys, LF and a last line end."""
    plain = msgspec.to_builtins(value, str_keys=True)
    return msgspec.json.format(msgspec.json.encode(plain, order="deterministic"), indent=2) + b"\n"


def to_readable_json(value: Any, width: int = 140) -> bytes:
    """Return ``value`` as JSON with sorted keys in which whatever fits on a line stands on one: readable, and small."""
    plain = msgspec.to_builtins(value, str_keys=True)
    return "".join(_lines(plain, 0, width)).encode() + b"\n"


def _lines(value: Any, indent: int, width: int) -> Iterator[str]:
    """Yield the text of a value whose lines are indented so far; a container that is too long for one is broken up."""
    flat = _flat(value)
    if not isinstance(value, dict | list) or not value or indent + len(flat) <= width:
        yield flat
        return
    items = sorted(value.items()) if isinstance(value, dict) else [("", each) for each in value]
    keyed = isinstance(value, dict)
    pad = "\n" + " " * (indent + 1)
    room = 0
    yield "{" if keyed else "["
    for place, (name, each) in enumerate(items):
        key = f"{_flat(name)}: " if keyed else ""
        small = not isinstance(each, dict | list)
        length = len(key) + len(_flat(each)) + 2
        # scalars fill a line together; each container has lines of its own
        broken = place == 0 or not small or length > room
        yield ("," if place else "") + (pad if broken else " ") + key
        room = (width - indent - 1 if broken else room) - length if small else 0
        yield from _lines(each, indent + 1, width)
    yield pad[:-1] + ("}" if keyed else "]")


def _flat(value: Any) -> str:
    """Return a value as JSON on one line, with a space behind each comma and colon."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def digest(value: Any) -> str:
    """Return the SHA-256 of bytes, or of the deterministic JSON of any other value, in hexadecimal."""
    data = value if isinstance(value, bytes) else msgspec.json.encode(msgspec.to_builtins(value), order="deterministic")
    return hashlib.sha256(data).hexdigest()


MOST_BYTES = 64 << 20
"""The most that is read of one file. The largest evidence has some 2 MB; what has more is there by mistake."""

_SPECIAL = {
    stat.S_IFDIR: "it is a folder",
    stat.S_IFIFO: "it is a named pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}


class NotReadableError(OSError):
    """What stands at a path is no file that can be read; ``strerror`` says in words what it is instead."""


def read_file(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the bytes of a regular file; a link to one is fine.

    Neither what stands there (a pipe that nobody writes to) nor how large it is can make the caller wait or run out of
    memory.

    Args:
        path: the file.
        most: the number of bytes that it may have.

    Raises:
        OSError: there is no such file, it may not be read, it is no regular file, or it has more than ``most`` bytes.
            ``filename`` is the path, ``strerror`` the reason in words.
    """
    with _opened(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise _too_large(path, most)
        data = _read(file, most + 1, path)
    if len(data) > most:
        # it grew meanwhile, or its size is none, as with those of /proc
        raise _too_large(path, most)
    return data


def tail_of(path: Path, count: int) -> bytes:
    """Return the last ``count`` bytes of a regular file, however large it is; raises OSError as ``read_file`` does."""
    with _opened(path) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - count))
        return _read(file, count, path)


def _opened(path: Path) -> FileIO:
    try:
        # asked first, since opening a device may set it off
        _check(path.stat(), path)
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        # a null character in its name
        raise NotReadableError(errno.EINVAL, str(error), str(path)) from None
    file = FileIO(handle)
    try:
        # asked again, since it may be another file by now
        _check(os.fstat(handle), path)
    except OSError:
        file.close()
        raise
    return file


def _check(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        words = _SPECIAL.get(stat.S_IFMT(found.st_mode), "it is something else")
        raise NotReadableError(errno.EINVAL, f"{words}, not a file", str(path))


def _read(file: FileIO, most: int, path: Path) -> bytes:
    data = bytearray()
    try:
        while chunk := file.read(min(most - len(data), 1 << 20)):
            data += chunk
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    return bytes(data)


def _too_large(path: Path, most: int) -> NotReadableError:
    return NotReadableError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))


def read_text(path: Path, name: str) -> str:
    """Return the text of a file that a person wrote.

    Args:
        name: what messages call the file.

    Raises:
        InputError: it cannot be read, or is not UTF-8.
    """
    try:
        return read_file(path).decode("utf-8")
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {reason(error)}", CHECK) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not UTF-8 at byte {error.start}", "Save the file as UTF-8.") from None


def files_in(folder: Path, pattern: str, *, deep: bool = False) -> list[Path]:
    """Return what is in a folder under names that fit a pattern, sorted; nothing where there is no such folder.

    Args:
        deep: whether folders inside it are looked into, too.

    Raises:
        OSError: one of the folders cannot be listed.
    """

    def refuse(error: OSError) -> None:
        raise error

    found: list[Path] = []
    if os.path.lexists(folder):
        for place, folders, names in os.walk(folder, onerror=refuse):
            found += [Path(place, name) for name in fnmatch.filter([*folders, *names], pattern)]
            if not deep:
                break
    return sorted(found)


def reason(error: Exception) -> str:
    """Return why a file could not be read or understood, without the path that Python would put beside it."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def digest_of(path: Path, name: str, faults: Faults) -> str:
    """Return the SHA-256 of a file's bytes; where it cannot be read, that is added to ``faults`` under its ``name``.

    A name that is not UTF-8 is a fault too, since evidence could not hold it.
    """
    try:
        name.encode()
        return digest(read_file(path))
    except UnicodeEncodeError:
        faults.add(f"{name!a}: its name is not UTF-8")
        return ""
    except OSError as error:
        faults.add(f"{name}: cannot be read: {reason(error)}")
        return ""


def holds(path: Path, data: bytes) -> bool:
    """Return whether a regular file with exactly these bytes is there."""
    try:
        return path.stat().st_size == len(data) and read_file(path, len(data)) == data
    except OSError:
        return False


def write_atomic(path: Path, data: bytes, name: str = "") -> bool:
    """Put ``data`` at ``path`` in one step; return whether it changed anything.

    Args:
        name: what messages call the file; by default its name without its folder.

    Raises:
        InfrastructureError: the disk is full or the folder cannot be written; what was there stays.
    """
    return bool(write_together({path: data}, {path: name or path.name}))


def write_together(files: Mapping[Path, bytes], names: Mapping[Path, str]) -> list[Path]:
    """Put several files in their places once all of them are on the disk; return those that were changed.

    Args:
        names: what messages call each file.

    Raises:
        InfrastructureError: one of them cannot be written. All that was there stays; only a disk that fails while
            the files are renamed leaves some new and some old, each of them complete.
    """
    changed = [path for path, data in files.items() if not holds(path, data)]
    staged: list[tuple[Path, Path]] = []
    made: list[Path] = []
    path = Path()
    try:
        for path in changed:
            _make_folder(path.parent, made)
            staged.append((_stage(path, files[path]), path))
        while staged:
            temporary, path = staged[0]
            temporary.replace(path)
            del staged[0]
    except BaseException as error:
        _take_back([temporary for temporary, _ in staged], made)
        if not isinstance(error, OSError):
            raise
        raise InfrastructureError(f"{names[path]}: cannot be written: {reason(error)}", RETRY) from None
    return changed


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it; append them to ``made``."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        made.append(each)


@contextlib.contextmanager
def scratch() -> Iterator[None]:
    """Name what goes wrong while files are put into the temporary folder, of which Python does not always tell.

    Raises:
        InfrastructureError: in the place of any OSError.
    """
    try:
        yield
    except OSError as error:
        where = tempfile.tempdir or "the temporary folder"
        hint = "Make room there, or name another folder by TMPDIR."
        raise InfrastructureError(f"{where}: cannot be written: {reason(error)}", hint) from None


def _stage(path: Path, data: bytes) -> Path:
    """Write ``data`` beside ``path``; return the file that holds it."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:NAMED]}.", suffix=PART, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        Path(name).chmod(0o644)
    except BaseException:
        _take_back([Path(name)], [])
        raise
    return Path(name)


def _take_back(files: list[Path], folders: list[Path]) -> None:
    for path in files:
        with contextlib.suppress(OSError):
            path.unlink()
    for folder in reversed(folders):
        # it stays where something else was put into it
        with contextlib.suppress(OSError):
            folder.rmdir()


def sweep(folder: Path, name: str = "*") -> None:
    """Remove what :func:`write_atomic` left of files when it was killed; call it while nobody else writes them."""
    for path in folder.glob(f".{name[:NAMED]}.*{PART}"):
        with contextlib.suppress(OSError):
            path.unlink()
