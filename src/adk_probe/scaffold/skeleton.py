"""A skeleton as files, and how they come into a project's folder: all of them or none, and never over others."""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from adk_probe.errors import InputError
from adk_probe.files import read_file, write_together

NOT_WRITTEN = "adk-probe new: not written yet"
"""Stands in a skeleton wherever its author has to write; while it does, a test fails."""

LONGEST = 60
_WORDS = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LOOKED = ("matrix.toml", "probes", "src/adk_probe/codegen")
_TEMPLATES = Path(__file__).parent / "templates"


class Skeleton(msgspec.Struct, frozen=True):
    """What is written for a new thing.

    Attributes:
        kind: what it is, such as ``probe``.
        files: text by path from the project's folder; none of them is there yet.
        tables: TOML that ``matrix.toml`` gets, empty where it needs none.
        next: what its author does now, a line each, in order.
    """

    kind: str
    name: str
    files: dict[str, str]
    tables: str = ""
    next: tuple[str, ...] = ()


def check_name(kind: str, name: str) -> str:
    """Return the name as that of a module.

    Raises:
        InputError: it is none, for this kind of thing.
    """
    module = name.replace("-", "_")
    if not _WORDS.fullmatch(name) or len(name) > LONGEST or keyword.iskeyword(module):
        hint = f"Use lower-case words joined by hyphens, like `my-{kind}`, of at most {LONGEST} characters."
        raise InputError(f"{name[: LONGEST + 1]!r} cannot be the name of a {kind}", hint)
    return module


def render(template: str, **values: Any) -> str:
    """Return the text of a template of this wing."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Python, JSON and TOML; names are checked, and sentences are literals
    )
    return environment.get_template(template).render(**values, not_written=NOT_WRITTEN)


def has_template(template: str) -> bool:
    """Return whether there is such a template."""
    return (_TEMPLATES / template).is_file()


def refuse_existing(root: Path, kind: str, name: str, paths: Iterable[str]) -> None:
    """Raise InputError if something is at one of the paths, whatever it is."""
    if there := [path for path in paths if os.path.lexists(root / path)]:
        raise InputError(f"{kind} {name!r}: {', '.join(there)} exists", "Choose another name; nothing was written.")


def write(root: Path, skeleton: Skeleton, matrix: str | None) -> list[str]:
    """Write a skeleton, and the text of ``matrix.toml`` where that gets a table; return the paths.

    Raises:
        InputError: one of its files is there.
        InfrastructureError: one cannot be written; then none is.
    """
    refuse_existing(root, skeleton.kind, skeleton.name, skeleton.files)
    texts = skeleton.files | ({} if matrix is None else {"matrix.toml": matrix})
    write_together({root / path: text.encode() for path, text in texts.items()}, {root / path: path for path in texts})
    return list(texts)


def unfinished(root: Path) -> list[str]:
    """Return every place that a skeleton's author has still to write, as ``path:line``, in order."""
    return [
        f"{path.relative_to(root).as_posix()}:{number}"
        for path in _texts(root)
        for number, line in enumerate(read_file(path).decode(errors="replace").splitlines(), 1)
        if NOT_WRITTEN in line
    ]


def _texts(root: Path) -> Iterator[Path]:
    found = {path for name in _LOOKED for path in (root / name, *(root / name).rglob("*"))}
    yield from sorted(path for path in found if path.suffix in (".py", ".json", ".toml") and path.is_file())
