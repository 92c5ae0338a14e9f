"""The names that a module's ``__getattr__`` answers, and the warnings that its import gives, read from its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

GETATTR = re.compile(r"(?m)^(?:def __getattr__|__getattr__\b)")
WARNING = re.compile(r"(?m)^(?:warnings\.)?warn\(")
MODULE = re.compile(r"\.*\w+(\.\w+)*|\.+")


def lazy_names(text: str) -> dict[str, tuple[str, ...]]:
    """Return each name that ``__getattr__`` may answer with the strings that tell where it comes from.

    These are the keys of the tables of strings that the module has, and the names that its ``__getattr__`` compares
    with. Nothing where there is no such function.
    """
    if not GETATTR.search(text):
        return {}
    tree = ast.parse(text)
    found: dict[str, tuple[str, ...]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and not _is_all(node):
            found |= dict(_table(node.value))
        elif isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
            compared = [each for part in ast.walk(node) if isinstance(part, ast.Compare) for each in part.comparators]
            found |= {name: () for each in compared for name in _strings(each) if name not in found}
    return {name: said for name, said in found.items() if name.isidentifier()}


def import_warning(text: str) -> str:
    """Return what a module says when it is imported and warns that it is deprecated; empty where it does not."""
    if not (WARNING.search(text) and "DeprecationWarning" in text):
        return ""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and "warn" in ast.unparse(node.value.func):
            arguments = [*node.value.args, *(keyword.value for keyword in node.value.keywords)]
            if any("DeprecationWarning" in ast.unparse(each) for each in arguments):
                return next(iter(_strings(arguments[0])), "deprecated")
    return ""


def _is_all(node: ast.Assign | ast.AnnAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets)


def _table(value: ast.expr | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    match value:
        case ast.Dict():
            for key, each in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, tuple(text for text in _strings(each) if MODULE.fullmatch(text))
        case ast.Set() | ast.List() | ast.Tuple():
            yield from ((name, ()) for name in _strings(value))


def _strings(node: ast.expr) -> Iterable[str]:
    """Return the strings that stand in an expression, in order."""
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return [str(part.value) for part in sorted(parts, key=lambda part: (part.lineno, part.col_offset))]
