"""The names of an engine that probes use, read from their source; a probe is never imported here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from adk_probe.files import read_file
from adk_probe.model import Probe
from adk_probe.project.config import Engine
from adk_probe.project.helpers import Imports, kit_files


class Use(msgspec.Struct, frozen=True):
    """What one probe uses.

    Attributes:
        symbols: ``module:name`` of what it, its header or a helper that it imports names.
        words: every attribute and keyword that stands in them: members and parameters are used by these.
    """

    probe: str
    symbols: tuple[str, ...]
    words: frozenset[str] = frozenset()


def uses(root: Path, engine: Engine, probes: Iterable[Probe]) -> list[Use]:
    """Return what each probe of an engine uses; a file that cannot be read names nothing.

    Fidelity cells are left out: what they use is in generated projects.
    """
    helpers, imports = kit_files(root, engine), Imports()
    known: dict[Path, tuple[frozenset[str], frozenset[str]]] = {}
    found = []
    for probe in probes:
        if probe.mechanism:
            continue
        file = root / probe.file
        files = [file, *imports.of(file, helpers)]
        known |= {path: _named(path, engine.import_) for path in files if path not in known}
        # the kit imports a lot for others: a probe uses what its own file and header name, by whatever words
        own = {*known[file][0], *(need for need in probe.needs if ":" in need)}
        found.append(Use(probe.id, tuple(sorted(own)), frozenset().union(*(known[path][1] for path in files))))
    return found


def _named(path: Path, package: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the symbols of a package that a file names, and the words that it uses."""
    try:
        tree = ast.parse(read_file(path))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return frozenset(), frozenset()
    symbols: set[str] = set()
    words: set[str] = set()
    below = re.compile(rf"{re.escape(package)}(\.\w+)*:\w+")
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), level=0) if f"{module}.".startswith(f"{package}."):
                symbols |= {f"{module}:{alias.name}" for alias in node.names if alias.name != "*"}
            case ast.Constant(value=str(text)) if below.fullmatch(text):
                symbols.add(text)
            case ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                words.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                words.add(name)
    return frozenset(symbols), frozenset(words)
