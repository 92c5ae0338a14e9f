"""Support code: modules that are written as they are, and copied into a project with all that they import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

FOLDER = "support"
"""The package of a project, and the folder of an engine here, that holds support code."""

_SHARED = Path(__file__).parents[1] / FOLDER


class Support:
    """What projects on one engine may carry: the engine's own modules, and those that all engines share.

    Args:
        package: the folder of the engine's package, in which ``support`` is.
    """

    def __init__(self, package: Path) -> None:
        self._found = {
            path.stem: path
            for folder in (_SHARED, package / FOLDER)
            for path in sorted(folder.glob("*.py"))
            if path.stem != "__init__"
        }

    @property
    def names(self) -> frozenset[str]:
        """The names of the modules."""
        return frozenset(self._found)

    def files(self, *modules: str) -> dict[str, str]:
        """Return the package with these modules and all that they import: path in the project to text.

        Raises:
            KeyError: there is no such module.
        """
        needed: set[str] = set()
        left = list(modules)
        while left:
            name = left.pop()
            if name not in needed:
                needed.add(name)
                left += [each for each in _siblings(self._found[name]) if each in self._found]
        paths = {"__init__": _SHARED / "__init__.py"} | {name: self._found[name] for name in sorted(needed)}
        return {f"{FOLDER}/{name}.py": _text(path) for name, path in paths.items()}


@lru_cache
def _text(path: Path) -> str:
    return path.read_bytes().decode()


@lru_cache
def _siblings(path: Path) -> tuple[str, ...]:
    """Return the names that a module takes from its own package, modules or not."""
    return tuple(_imported(ast.parse(_text(path))))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from [node.module.partition(".")[0]] if node.module else [alias.name for alias in node.names]
