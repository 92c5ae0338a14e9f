"""The helper files that a probe imports, read statically: what its digest covers, and what a script must bring."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from adk_probe.files import read_file
from adk_probe.project.config import Engine

COMMON = "probes/fidelity"
"""What the fidelity runners of all engines share."""

STATEMENT = re.compile(
    r"(?m)(?:^|[;:])[ \t]*"
    r"(?:from[ \t]+(?P<from>\w[\w.]*)[ \t]+import|import[ \t]+(?P<names>[^#;\n]+))"
)


def kit_files(root: Path, engine: Engine) -> list[Path]:
    """Return the helper files that an engine's probes may import, in a stable order."""
    return sorted([*(root / "probes").glob("*.py"), *(root / engine.probes).rglob("_*.py")])


def runner_files(root: Path, engine: Engine) -> list[Path]:
    """Return the helper files that an engine's fidelity runner may import, in a stable order."""
    folders = sorted({(root / engine.fidelity).parent, root / COMMON})
    return sorted([*(root / "probes").glob("*.py"), *(path for folder in folders for path in folder.glob("*.py"))])


def imported_names(tree: ast.AST) -> list[str]:
    """Return the modules that a program imports anywhere by a statement, in order; relative imports are left out."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    return names


class Imports:
    """Which helper files programs import; each file is read once."""

    def __init__(self) -> None:
        self._read: dict[Path, frozenset[str] | None] = {}

    def of(self, path: Path, files: Iterable[Path]) -> list[Path]:
        """Return which of the helper files a program imports, directly or by another helper, in the order of ``files``.

        A file that cannot be read could import anything, so all helpers count as imported.
        """
        every = [each for each in files if each != path]
        known = {each.stem: each for each in every}
        found: set[Path] = set()
        todo = [path]
        while todo:
            names = self._names(todo.pop())
            if names is None:
                return every
            new = {known[name] for name in names & known.keys()} - found
            found |= new
            todo += sorted(new)
        return [each for each in every if each in found]

    def _names(self, path: Path) -> frozenset[str] | None:
        if path not in self._read:
            try:
                self._read[path] = frozenset(_statements(read_file(path).decode("utf-8")))
            except (OSError, ValueError):
                self._read[path] = None
        return self._read[path]


def _statements(text: str) -> Iterable[str]:
    """Yield the modules that import statements name.

    Looked for in the text, since parsing every probe takes a second. What only looks like a statement, in a string,
    counts as well: one helper too many is harmless, one too few is not.
    """
    for match in STATEMENT.finditer(text.replace("\\\n", " ")):
        if match["from"]:
            yield match["from"]
        else:
            yield from (part.split()[0] for part in match["names"].split(",") if part.strip())
