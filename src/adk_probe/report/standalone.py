"""A probe and what it imports → one script that a stranger can run without this project."""

from __future__ import annotations

import ast
import json
import re
import warnings
from pathlib import Path

from adk_probe.errors import InputError
from adk_probe.files import read_text
from adk_probe.model import Probe
from adk_probe.project.catalog import BLOCK
from adk_probe.project.config import Engine
from adk_probe.project.helpers import imported_names, kit_files

_DEPENDENCIES = re.compile(r"(?ms)^# dependencies = \[.*?\]$\n")
_FUTURE = "from __future__ import annotations\n"
# The helpers stay modules of their own, under the names that the probe imports them by: put into one namespace
# they could take each other's names. `linecache` gets their lines, so that a traceback shows them.
_LOADER = """\
import linecache
import sys
import types


def _module(name, source):
    module = types.ModuleType(name)
    module.__file__ = __file__.rpartition(".")[0] + "." + name + ".py"
    linecache.cache[module.__file__] = (len(source), None, source.splitlines(True), module.__file__)
    sys.modules[name] = module
    exec(compile(source, module.__file__, "exec", dont_inherit=True), module.__dict__)
"""


def standalone(root: Path, engine: Engine, probe: Probe, requirement: str, exclude_newer: str = "") -> str:
    """Return one script that checks a probe's claim on the release that its header asks for.

    ``uv run FILE`` needs nothing else; the helpers that the probe shares with others are part of the script.

    Args:
        root: the project's folder.
        requirement: the release, like ``google-adk==2.0.0``.
        exclude_newer: the time after which nothing that is resolved may have been uploaded; empty for any.

    Raises:
        InputError: the probe's file or a helper cannot be read, or is no Python.
    """
    source = _Source(root, root / probe.file)
    head, body = _split(source)
    helpers = [_helper(each) for each in _needed(root, engine, source)]
    parts = [_asking(head, (requirement, *engine.requires), exclude_newer), _FUTURE, "\n"]
    parts += [_LOADER, "\n\n", "\n\n".join(helpers), "\n\n# --- the probe ---\n", body] if helpers else [body]
    return "".join(parts)


class _Source:
    """A file of Python: its name as a module, its text with LF, its lines, and what Python makes of it."""

    def __init__(self, root: Path, path: Path) -> None:
        name = path.relative_to(root).as_posix()
        text = read_text(path, name).removeprefix("\ufeff")
        self.name = path.stem
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        # as Python counts them; `splitlines` would part them at a form feed too
        self.lines = re.findall(r"[^\n]*\n|[^\n]+", self.text)
        try:
            with warnings.catch_warnings():
                # of odd escapes its own run warns
                warnings.simplefilter("ignore")
                self.tree = ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise InputError(f"{name}: it is no Python that can be read: {error}", "Correct the file.") from None


def _needed(root: Path, engine: Engine, source: _Source) -> list[_Source]:
    """Return the helpers that a probe imports, each after those that it imports itself."""
    files = {path.stem: path for path in kit_files(root, engine)}
    ordered: list[_Source] = []

    def add(importing: _Source) -> None:
        for name in imported_names(importing.tree):
            if (path := files.pop(name, None)) is not None:
                helper = _Source(root, path)
                add(helper)
                ordered.append(helper)

    add(source)
    return ordered


def _split(source: _Source) -> tuple[str, str]:
    """Return header and docstring, which come first in any script, and the rest without ``__future__``."""
    end = _head_ends(source)
    future = {
        number
        for node in source.tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    body = "".join(line for number, line in enumerate(source.lines, 1) if number > end and number not in future)
    return "".join(source.lines[:end]) + "\n", body.lstrip("\n")


def _head_ends(source: _Source) -> int:
    """Return the last line of the header and the docstring."""
    if not source.tree.body:
        return len(source.lines)
    first = source.tree.body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    if told:
        return first.end_lineno or first.lineno
    # a decorator stands above the line of what it decorates
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    return min([first.lineno, *(each.lineno for each in decorators)]) - 1


def _asking(head: str, requirements: tuple[str, ...], exclude_newer: str) -> str:
    """Return the top of the script, its PEP 723 block asking for the requirements."""
    match = BLOCK.search(head)
    if match is None:
        return head
    content = _DEPENDENCIES.sub("", match["content"])
    # a key of the block itself must stand before its first table
    content = f"# dependencies = {json.dumps(list(requirements))}\n{content}"
    if exclude_newer:
        content = f"{content}#\n# [tool.uv]\n# exclude-newer = {json.dumps(exclude_newer)}\n"
    return f"{head[: match.start('content')]}{content}{head[match.end('content') :]}"


def _helper(source: _Source) -> str:
    """Return the call that makes one helper a module, its source readable where Python lets it be."""
    lines = source.text.rstrip("\n") + "\n"
    quoted = repr(lines) if "'''" in lines else f"r'''{lines}'''"
    return f'_module("{source.name}", {quoted})\n'
