"""A probe and what it imports → one script that a stranger can run without this project."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from adk_probe.catalog import BLOCK, kit_files
from adk_probe.matrix import Engine
from adk_probe.model import Probe

_DEPENDENCIES = re.compile(r"(?ms)^# dependencies = \[.*?\]$\n")
_FUTURE = "from __future__ import annotations\n"
# The helpers stay modules of their own, under the names that the probe imports them by: put into one namespace
# they could take each other's names. `linecache` is told their lines, so that a traceback shows them.
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
    """
    source = _lf((root / probe.file).read_text(encoding="utf-8"))
    head, body = _split(source)
    helpers = [_helper(path.stem, _lf(path.read_text(encoding="utf-8"))) for path in _needed(root, engine, source)]
    parts = [_asking(head, (requirement, *engine.requires), exclude_newer), _FUTURE, "\n"]
    parts += [_LOADER, "\n\n", "\n\n".join(helpers), "\n\n# --- the probe ---\n", body] if helpers else [body]
    return "".join(parts)


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _needed(root: Path, engine: Engine, source: str) -> list[Path]:
    """Return the helper files that a probe imports, each after those that it imports itself."""
    files = {path.stem: path for path in kit_files(root, engine)}
    ordered: dict[str, Path] = {}

    def add(text: str) -> None:
        for name in _imported(text):
            if name in files and name not in ordered:
                path = files.pop(name)
                add(path.read_text(encoding="utf-8"))
                ordered[name] = path

    add(source)
    return list(ordered.values())


def _imported(source: str) -> list[str]:
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    return names


def _split(source: str) -> tuple[str, str]:
    """Return header and docstring, which come first in any script, and the rest without ``__future__``."""
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    if not tree.body:
        # comments alone: all of it is the header
        return source + "\n", ""
    first = tree.body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    end = (first.end_lineno or 0) if told else first.lineno - 1
    future = {
        number
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    body = "".join(line for number, line in enumerate(lines, 1) if number > end and number not in future)
    return "".join(lines[:end]) + "\n", body.lstrip("\n")


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


def _helper(name: str, source: str) -> str:
    """Return the call that makes one helper a module, its source readable where Python lets it be."""
    lines = source.rstrip("\n") + "\n"
    quoted = repr(lines) if "'''" in lines else f"r'''{lines}'''"
    return f'_module("{name}", {quoted})\n'
