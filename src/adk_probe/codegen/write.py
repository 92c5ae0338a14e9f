"""Generated files on disk: written completely and only on change, compared, and cleaned up after.

What is ours is what has our mark in its first line. A folder's manifest lists what the last run wrote, so that a file
that is no longer generated can be removed; a file without the mark is never overwritten and never removed.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from adk_probe.codegen.spec import MARK
from adk_probe.errors import InfrastructureError, InputError
from adk_probe.files import CHECK, REMOVE, NotReadableError, read_file, write_together

MANIFEST = ".adk-probe-manifest.json"
_MANIFEST_VERSION = 1


@dataclass(frozen=True)
class Drift:
    """How a folder differs from what is generated; paths are relative, with ``/``, sorted.

    Attributes:
        missing: generated, and not there.
        changed: there, with other bytes.
        orphaned: of an earlier run, and no longer generated.
    """

    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    orphaned: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that differs, sorted."""
        return tuple(sorted({*self.missing, *self.changed, *self.orphaned}))

    def __bool__(self) -> bool:
        return bool(self.paths)


def write(folder: Path, files: Mapping[str, str]) -> Drift:
    """Make the folder hold the files.

    Args:
        folder: the project's folder; made if it is not there.
        files: relative path, with ``/``, to text.

    Returns:
        What was changed; empty when all was as it should be, and then nothing is touched.

    Raises:
        InputError: a file that is in the way is not ours; every such file is named, and nothing is written.
        InfrastructureError: a file cannot be written or removed; it is named, and what was there stays.
    """
    drift = check(folder, files)
    _protect(folder, (*drift.changed, *drift.orphaned))
    _put(folder, {path: files[path] for path in (*drift.missing, *drift.changed)})
    for path in drift.orphaned:
        try:
            _remove(folder, path)
        except OSError as error:
            raise InfrastructureError(f"{folder / path}: cannot be removed: {error.strerror}", REMOVE) from None
    # last, since the old one knows of orphans that could not be removed
    _put(folder, {MANIFEST: _manifest_text(files)})
    return drift


def _put(folder: Path, files: Mapping[str, str]) -> None:
    data = {folder / path: text.encode() for path, text in files.items()}
    write_together(data, {path: str(path) for path in data})


def check(folder: Path, files: Mapping[str, str]) -> Drift:
    """How the folder differs from the files; nothing is written.

    Raises:
        InputError: a path leads out of the folder, it is no folder, or the manifest is no manifest.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: it is a file, not a folder", "Generate into another folder.")
    for path in files:
        _inside(folder, path)
    missing, changed = [], []
    for path, text in files.items():
        found = _read(folder / path)
        if found is None:
            missing.append(path)
        elif found != text.encode():
            changed.append(path)
    before = [path for path in _listed(folder) if path not in files]
    orphaned = [path for path in before if (folder / path).is_file()]
    return Drift(tuple(sorted(missing)), tuple(sorted(changed)), tuple(sorted(orphaned)))


def diff(folder: Path, files: Mapping[str, str]) -> str:
    """The drift as a unified diff from what is on disk to what is generated; empty without drift."""
    parts: list[str] = []
    for path in check(folder, files).paths:
        before = (_read(folder / path) or b"").decode("utf-8", "replace")
        after = files.get(path, "")
        old = f"a/{path}" if (folder / path).is_file() else "/dev/null"
        new = f"b/{path}" if path in files else "/dev/null"
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm="")
        parts += [f"{line}\n" for line in lines]
    return "".join(parts)


def _protect(folder: Path, paths: tuple[str, ...]) -> None:
    """Raise InputError if one of the files is not ours."""
    strangers = tuple(str(folder / path) for path in paths if not _ours(folder / path))
    if strangers:
        hint = "Move them away or generate into another folder."
        raise InputError("there are files in the way that were not generated", hint, strangers)


def _ours(path: Path) -> bool:
    first = (_read(path) or b"").split(b"\n", 1)[0]
    return MARK.encode() in first


def _read(path: Path) -> bytes | None:
    """The file's bytes; None if there is none. A link, a folder or a pipe in its place is a stranger."""
    try:
        return b"" if path.is_symlink() else read_file(path)
    except FileNotFoundError:
        return None
    except NotReadableError:
        return b""
    except OSError as error:
        raise InfrastructureError(f"{path}: cannot be read: {error.strerror}", CHECK) from None


def _inside(folder: Path, path: str) -> None:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\\" in path:
        raise InputError(
            f"{path!r} does not lie in {folder}", "Correct the path: all files of a project are in its folder."
        )


def _listed(folder: Path) -> list[str]:
    """The paths of the manifest that the last run left; those that lead elsewhere are not ours to touch."""
    data = _read(folder / MANIFEST)
    if not data:
        return []
    try:
        value: Any = json.loads(data)
        paths = list(value["files"])
        for path in paths:
            _inside(folder, path)
    except (ValueError, KeyError, TypeError, InputError) as error:
        hint = "Remove it; orphans of earlier runs then stay."
        raise InputError(f"{folder / MANIFEST} is no manifest of ours", hint) from error
    return paths


def _manifest_text(files: Mapping[str, str]) -> str:
    digests = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in sorted(files.items())}
    value = {"files": digests, "generator": MARK, "version": _MANIFEST_VERSION}
    return json.dumps(value, indent=2, sort_keys=True) + "\n"


def _remove(folder: Path, path: str) -> None:
    """Remove an orphan, and the folders that it leaves empty."""
    (folder / path).unlink()
    for parent in PurePosixPath(path).parents:
        if parent == PurePosixPath("."):
            return
        with contextlib.suppress(OSError):  # it holds something else
            (folder / parent).rmdir()
