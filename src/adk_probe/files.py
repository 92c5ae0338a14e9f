"""Write files whole or not at all, and JSON that has the same bytes for the same value."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.errors import InfrastructureError

PART = ".part"
"""How the names of files end that are not written out yet."""


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


def write_atomic(path: Path, data: bytes) -> bool:
    """Put ``data`` at ``path`` in one step; return whether it changed anything.

    Raises:
        InfrastructureError: the disk is full or the folder cannot be written; what was there stays.
    """
    temporary = None
    try:
        if path.exists() and path.read_bytes() == data:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PART, dir=path.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
        temporary = None
    except OSError as error:
        hint = "Nothing that was there is lost; make room or mend the rights and run again."
        raise InfrastructureError(f"{path.name}: cannot be written: {error.strerror or error}", hint) from None
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
    return True


def sweep(folder: Path, name: str = "*") -> None:
    """Remove what :func:`write_atomic` left of files when it was killed; call it while nobody else writes them."""
    for path in folder.glob(f".{name}.*{PART}"):
        with contextlib.suppress(OSError):
            path.unlink()
