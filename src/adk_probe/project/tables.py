"""Convert tables read from TOML to structs and collect every fault, each with its table and key."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar, get_type_hints

import msgspec

from adk_probe.errors import Faults

S = TypeVar("S", bound=msgspec.Struct)


def convert(table: Any, kind: type[S], where: str, faults: Faults) -> S | None:
    """Return ``table`` as a ``kind``, or None after adding what is wrong with it to ``faults``.

    Args:
        where: how the table is written in its file, like ``[suites.quick]``.
    """
    if not isinstance(table, dict):
        faults.add(f"{where}: expected a table, found {type(table).__name__}")
        return None
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    hints = _hints(kind)
    values = {}
    found: list[str] = []
    unknown = sorted(table.keys() - fields.keys())
    found.extend(f"{where} {key}: unknown key; known are {', '.join(sorted(fields))}" for key in unknown)
    for name, field in fields.items():
        if name not in table:
            if field.required:
                found.append(f"{where} {name}: missing")
            continue
        try:
            values[field.name] = msgspec.convert(table[name], hints[field.name])
        except msgspec.ValidationError as error:
            found.extend(f"{where} {name}: {words}" for words in _each(table[name], hints[field.name], error))
    faults.extend(found)
    return None if found else kind(**values)


@lru_cache
def _hints(kind: type) -> dict[str, Any]:
    # every probe has a table, and to make sense of annotations takes longer than to read it
    return get_type_hints(kind, include_extras=True)


def _each(value: Any, kind: Any, error: Exception) -> list[str]:
    """Return what is wrong with every item of an array, not only the first; of all else, what was found."""
    found = []
    for number, item in enumerate(value if isinstance(value, list) else []):
        try:
            msgspec.convert([item], kind)
        except msgspec.ValidationError as fault:
            found.append(f"at [{number}]: {reword(fault).removeprefix('at [0]: ')}")
    return found or [reword(error)]


def reword(error: Exception) -> str:
    """Return msgspec's message with the path in front in the place of its ``$`` notation."""
    text, _, path = str(error).partition(" - at `")
    place = path.rstrip("`").removeprefix("$")
    text = text[:1].lower() + text[1:]
    return f"at {place.lstrip('.')}: {text}" if place else text
