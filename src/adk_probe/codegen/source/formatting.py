"""Formats generated Python with the pinned ruff, so that the same ruff gives the same bytes everywhere."""

from __future__ import annotations

import ast
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from adk_probe.errors import OURS, InfrastructureError
from adk_probe.files import scratch

_OPTIONS = (
    "--isolated",
    "--no-cache",
    "--quiet",
    "--config",
    "line-length=120",
    "--config",
    "target-version='py39'",
    "--config",
    "format.line-ending='lf'",
)
_FIXES = ("--fix-only", "--exit-zero", "--select", "F401,I001")
"""Imports that a template offers and nothing uses go; those that stay are sorted."""


_OF_PEOPLE = ("functions.py",)
"""Modules that hold what people wrote: of these the imports on top alone are the template's."""


def _split(text: str) -> tuple[str, str]:
    """A module's lines before its first function or class, and the rest."""
    starts = [
        min([node.lineno, *(each.lineno for each in node.decorator_list)])
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    lines = _lines(text)
    first = starts[0] - 1 if starts else len(lines)
    return "".join(lines[:first]), "".join(lines[first:])


def _lines(text: str) -> list[str]:
    """The lines with their ends, as Python counts them: a lone carriage return ends one too."""
    return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


def _without_inner_imports(text: str) -> bytes:
    """The module with ``pass`` in the place of every import in a function: an import there may be for what it does."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = {
        node for function in functions for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)
    }
    lines = [line.encode() for line in _lines(text)]
    for node in sorted(inner, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        last = (node.end_lineno or node.lineno) - 1
        before, after = lines[node.lineno - 1][: node.col_offset], lines[last][node.end_col_offset :]
        lines[node.lineno - 1 : last + 1] = [before + b"pass" + after]
    return b"".join(lines)


@lru_cache(maxsize=1)
def _ruff() -> str:
    from ruff import find_ruff_bin  # type: ignore[import-untyped]

    return str(find_ruff_bin())


def format_python(files: Mapping[str, str]) -> dict[str, str]:
    """Return the Python sources of one project laid out; see ``format_projects``."""
    return format_projects([files])[0]


def format_projects(projects: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return Python sources without unused imports, as ``ruff format`` lays them out.

    Args:
        projects: of each, relative path, with ``/``, to source. All are laid out at once: starting ruff costs more
            than what it does.

    Raises:
        InfrastructureError: ruff is missing, a text is not Python, which is a fault of a template, or the temporary
            folder cannot be written.
    """
    with scratch(), tempfile.TemporaryDirectory(prefix="adk-probe-") as name:
        folder = Path(name)
        paths = [{path: folder / str(number) / path for path in files} for number, files in enumerate(projects)]
        for files, places in zip(projects, paths, strict=True):
            for path, text in files.items():
                places[path].parent.mkdir(parents=True, exist_ok=True)
                places[path].write_bytes(_without_inner_imports(text) if path in _OF_PEOPLE else text.encode())
        _run(["check", *_OPTIONS, *_FIXES, "."], folder)
        for files, places in zip(projects, paths, strict=True):
            for path in _OF_PEOPLE:
                if path in files:
                    head, _ = _split(places[path].read_bytes().decode())
                    places[path].write_bytes((head + _split(files[path])[1]).encode())
        _run(["format", *_OPTIONS, "."], folder)
        return [{path: place.read_bytes().decode() for path, place in places.items()} for places in paths]


def _run(arguments: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            [_ruff(), *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=600
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InfrastructureError(f"ruff cannot be run: {error}", "Install this project's dependencies.") from error
    if done.returncode != 0:
        raise InfrastructureError(f"ruff cannot format what was generated: {done.stderr.strip()}", OURS)
