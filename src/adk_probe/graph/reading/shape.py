"""Reads JSON values into structs and reports every fault of their shape, not only the first.

The annotations of the structs, read through ``msgspec.inspect``, define the shape. This module collects all faults,
gives each a code and a place, and builds the structs from the values without a fault.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

from msgspec import inspect

from adk_probe.graph.ir import Finding

BROKEN: Final = object()
"""The result of reading a value that cannot be used."""

V02_ONLY = {("ToolConfig", "guard"), ("FunctionConfig", "sees_run")}


class JsonObject(dict[str, Any]):
    """A parsed JSON object that remembers its duplicate keys."""

    duplicates: tuple[str, ...] = ()


class Reader:
    """Reads the values of one graph and collects findings.

    Args:
        findings: the list that receives the faults.
        minor: 1 or 2, from the version of the graph (0.1 or 0.2).
    """

    def __init__(self, findings: list[Finding], minor: int) -> None:
        self.findings = findings
        self.minor = minor

    def fault(self, path: str, code: str, message: str) -> None:
        """Report a fault."""
        self.findings.append(Finding(path=path, code=code, message=message))

    def read(self, value: Any, kind: inspect.Type, path: str, where: str) -> Any:
        """Return ``value`` as ``kind`` (structs built, lists as tuples), or report why not and return ``BROKEN``.

        Unknown and duplicate keys are reported and left out. They do not make the value unusable.
        """
        match kind:
            case inspect.StructType():
                return self._struct(value, kind, path, where)
            case inspect.UnionType(types=types):
                return self._union(value, types, path, where)
            case inspect.VarTupleType(item_type=item):
                return self._tuple(value, item, path, where)
            case inspect.DictType(value_type=item):
                return self._dict(value, item, path, where)
            case inspect.LiteralType(values=values):
                return self._literal(value, values, path, where)
            case inspect.AnyType():
                return value if self.clean(value, path, where) else BROKEN
            case _:
                return self._scalar(value, kind, path, where)

    def keys(self, value: JsonObject, known: Iterable[str], path: str, where: str) -> None:
        """Report duplicate keys and unknown keys."""
        names = sorted(known)
        for key in sorted(set(value.duplicates)):
            self.fault(path, "DUPLICATE_KEY", f"{_at(where)}key {show(key)} appears more than once; write it once")
        for key in value:
            if key not in names:
                text = f"{_at(where)}unknown key {show(key)}; known keys are {', '.join(names)}"
                self.fault(path, "UNKNOWN_KEY", text)

    def clean(self, value: Any, path: str, where: str) -> bool:
        """Whether an arbitrary JSON value has neither duplicate keys nor text that cannot be encoded."""
        if isinstance(value, JsonObject):
            self.keys(value, value, path, where)
            parts: list[Any] = [*value.keys(), *value.values()]
        elif isinstance(value, list):
            parts = value
        else:
            parts = []
            if isinstance(value, str) and not _encodable(value):
                text = f"{_at(where)}the text has half of a surrogate pair; write the complete character"
                self.fault(path, "BAD_TEXT", text)
                return False
        cleans = [self.clean(part, path, where) for part in parts]  # a list, so that every fault is reported
        return all(cleans)

    def wrong(self, value: Any, wanted: str, path: str, where: str) -> Any:
        """Report a wrong type, and return ``BROKEN``."""
        if where.endswith("maxIterations"):
            text = f"{where} must be an integer of at least 1, not {show(value)}"
            self.fault(path, "LOOP_BAD_MAX_ITERATIONS", text)
            return 1  # no other rule depends on the value, so the rest of the loop can still be checked
        self.fault(path, "WRONG_TYPE", f"{_at(where)}expected {wanted}, not {show(value)}")
        return BROKEN

    def _struct(self, value: Any, kind: inspect.StructType, path: str, where: str) -> Any:
        if not isinstance(value, JsonObject):
            return self.wrong(value, "an object", path, where)
        fields = [f for f in kind.fields if self.minor >= 2 or (kind.cls.__name__, f.name) not in V02_ONLY]
        tag = [kind.tag_field] if kind.tag_field else []
        self.keys(value, [*tag, *(field.encode_name for field in fields)], path, where)
        made: dict[str, Any] = {}
        for field in fields:
            place = f"{where}.{field.encode_name}" if where else field.encode_name
            if field.encode_name in value:
                made[field.name] = self.read(value[field.encode_name], field.type, path, place)
            elif field.required:
                self.fault(path, "MISSING_KEY", f"{place} is missing; add it")
                made[field.name] = BROKEN
        return BROKEN if any(part is BROKEN for part in made.values()) else kind.cls(**made)

    def _union(self, value: Any, types: tuple[inspect.Type, ...], path: str, where: str) -> Any:
        if value is None and any(isinstance(kind, inspect.NoneType) for kind in types):
            return None
        kinds = [kind for kind in types if not isinstance(kind, inspect.NoneType)]
        if len(kinds) == 1:
            return self.read(value, kinds[0], path, where)
        texts = [kind for kind in kinds if isinstance(kind, inspect.StrType)]
        if texts:  # text is the short form of an object
            others = [kind for kind in kinds if kind not in texts]
            return self.read(value, texts[0] if isinstance(value, str) else others[0], path, where)
        tagged = {kind.tag: kind for kind in kinds if isinstance(kind, inspect.StructType)}
        if not isinstance(value, JsonObject):
            return self.wrong(value, "an object", path, where)
        tag = value.get("type")
        if not isinstance(tag, str) or tag not in tagged:
            self.fault(path, "BAD_VALUE", f"{where}.type must be one of {_listed(tagged)}, not {show(tag)}")
            return BROKEN
        return self.read(value, tagged[tag], path, where)

    def _tuple(self, value: Any, item: inspect.Type, path: str, where: str) -> Any:
        if not isinstance(value, list):
            return self.wrong(value, "a list", path, where)
        parts = [self.read(part, item, path, f"{where}[{index}]") for index, part in enumerate(value)]
        return BROKEN if any(part is BROKEN for part in parts) else tuple(parts)

    def _dict(self, value: Any, item: inspect.Type, path: str, where: str) -> Any:
        if not isinstance(value, JsonObject):
            return self.wrong(value, "an object", path, where)
        self.keys(value, value, path, where)
        made = {key: self.read(part, item, path, f"{where}.{key}") for key, part in value.items()}
        return BROKEN if any(part is BROKEN for part in made.values()) else made

    def _literal(self, value: Any, values: tuple[Any, ...], path: str, where: str) -> Any:
        if isinstance(value, str) and value in values:
            return value
        self.fault(path, "BAD_VALUE", f"{where} must be one of {_listed(values)}, not {show(value)}")
        return BROKEN

    def _scalar(self, value: Any, kind: inspect.Type, path: str, where: str) -> Any:
        if isinstance(kind, inspect.StrType):
            if not isinstance(value, str):
                return self.wrong(value, "text", path, where)
            return value if self.clean(value, path, where) else BROKEN
        if isinstance(kind, inspect.BoolType):
            return value if isinstance(value, bool) else self.wrong(value, "true or false", path, where)
        if isinstance(kind, inspect.IntType):
            good = isinstance(value, int) and not isinstance(value, bool)
            return value if good else self.wrong(value, "an integer", path, where)
        if isinstance(kind, inspect.FloatType):
            good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            return value if good else self.wrong(value, "a number", path, where)
        raise AssertionError(f"no reader for {kind}")


def show(value: Any) -> str:
    """Quote a value for a message: ASCII, on one line, and short."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str) and len(value) > 60:
        return ascii(value[:57] + "...")
    return ascii(value)


def _at(where: str) -> str:
    return f"{where}: " if where else ""


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(sorted(str(value) for value in values))


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
