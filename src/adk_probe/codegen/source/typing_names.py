"""How types of an IR are written in generated Python."""

from __future__ import annotations

from adk_probe.codegen.source.symbols import Symbols
from adk_probe.graph.flow import DICT, UNKNOWN

_PLAIN = {
    "str": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "date": "datetime.date",
    "datetime": "datetime.datetime",
    DICT: "dict",
    UNKNOWN: "Any",
}


class Types:
    """Writes types, for modules that see the schemas as ``schemas.<symbol>``.

    Args:
        schemas: the symbols of the module ``schemas``.
    """

    def __init__(self, schemas: Symbols) -> None:
        self._schemas = schemas

    def __call__(self, kind: str) -> str:
        """The expression for a scalar, ``dict``, the unknown type or a schema's name."""
        return _PLAIN.get(kind) or f"schemas.{self._schemas[kind]}"

    def inside(self, kind: str) -> str:
        """The same, inside the module ``schemas`` itself."""
        return _PLAIN.get(kind) or self._schemas[kind]
