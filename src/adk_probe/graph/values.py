"""Values as they travel between nodes: JSON values that fit a type of the IR.

A structured value is a dict with exactly the fields of its schema. Dates are ISO text. Types are strict: ``true`` and
``2.0`` are not integers, and ``"3"`` is not a number. An integer is accepted as a float.
"""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from adk_probe.graph.ir import SCALARS, Schema, SchemaField

Schemas = Mapping[str, Schema]

_FENCE = re.compile(r"```[A-Za-z0-9_+-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_STUBS: dict[str, Any] = {
    "str": "",
    "int": 0,
    "float": 0.0,
    "bool": False,
    "date": "1970-01-01",
    "datetime": "1970-01-01T00:00:00",
}


class MisfitError(ValueError):
    """A value does not fit its type. The message says where and why."""


def fit(value: Any, kind: str, schemas: Schemas) -> Any:
    """Convert a value to a type: fields in the schema's order, defaults filled in, other keys left out.

    Args:
        value: a JSON value.
        kind: a scalar or the name of one of ``schemas``.
        schemas: every schema by name.

    Raises:
        MisfitError: the value does not fit.
    """
    return _fit(value, kind, schemas, "the value")


def _fit(value: Any, kind: str, schemas: Schemas, where: str) -> Any:
    if kind not in schemas:
        return _fit_scalar(value, kind, where)
    if not isinstance(value, dict):
        raise MisfitError(f"{where} must be an object of the schema {kind}, not {_kind(value)}")
    made = {}
    for field in schemas[kind].fields:
        place = f"field {field.name!r} of {kind}"
        if field.name not in value:
            made[field.name] = _absent(field, schemas, place)
        elif value[field.name] is None and field.optional:
            made[field.name] = None
        else:
            made[field.name] = _fit(value[field.name], field.type, schemas, place)
    return made


def _absent(field: SchemaField, schemas: Schemas, place: str) -> Any:
    if field.has_default:
        return default_of(field, schemas)
    if field.optional:
        return None
    raise MisfitError(f"{place} is missing")


def default_of(field: SchemaField, schemas: Schemas) -> Any:
    """Return the default of a field that has one.

    Raises:
        MisfitError: the default does not fit the field.
    """
    if field.default is None and field.optional:
        return None
    return _fit(field.default, field.type, schemas, f"the default of {field.name!r}")


def _fit_scalar(value: Any, kind: str, where: str) -> Any:
    good = {
        "str": isinstance(value, str),
        "bool": isinstance(value, bool),
        "int": isinstance(value, int) and not isinstance(value, bool),
        "float": isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
        "date": isinstance(value, str) and _DATE.fullmatch(value) and _is_date(value),
        "datetime": isinstance(value, str) and _DATETIME.fullmatch(value) and _is_datetime(value),
    }
    if kind not in SCALARS:
        raise MisfitError(f"{where} has the unknown type {kind!r}")
    if not good[kind]:
        raise MisfitError(f"{where} must be of the type {kind}, not {_kind(value)}")
    if kind == "datetime":
        return datetime_text(datetime.datetime.fromisoformat(value))
    return float(value) if kind == "float" else value


def datetime_text(moment: datetime.datetime) -> str:
    """Return the canonical text of a datetime: ISO, without a zero fraction, UTC as ``Z``."""
    text = moment.isoformat()
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_datetime(text: str) -> bool:
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _kind(value: Any) -> str:
    """Describe a value for a message, in a few words."""
    if value is None:
        return "null"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return ascii(value) if len(str(value)) <= 40 else f"a long {type(value).__name__}"


def stub(kind: str, schemas: Schemas) -> Any:
    """Return the well-formed value that a function without a body returns.

    For scalars: ``""``, ``0``, ``0.0``, ``false``, ``1970-01-01`` and ``1970-01-01T00:00:00``. For a schema: each
    field's default; without a default, null if the field is optional, else the stub of the field's type.
    """
    if kind not in schemas:
        return _STUBS[kind]
    made = {}
    for field in schemas[kind].fields:
        if field.has_default:
            made[field.name] = default_of(field, schemas)
        else:
            made[field.name] = None if field.optional else stub(field.type, schemas)
    return made


def render(value: Any) -> str:
    """Return the value as text for a model: text unchanged, anything else as JSON on one line, non-ASCII unescaped."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def arrive(value: Any, kind: str, schemas: Schemas) -> Any:
    """Convert a node's input to ``kind``: for ``str``, render it; for most other types, parse text as JSON.

    Raises:
        MisfitError: the value does not fit, and is not text that contains a value that fits.
    """
    if kind == "str":
        return render(value)
    if isinstance(value, str) and kind not in ("date", "datetime"):
        return fit(parse_answer(value), kind, schemas)
    return fit(value, kind, schemas)


def parse_answer(text: str) -> Any:
    """Return the JSON value of a model's answer, which may be inside one Markdown fence.

    Raises:
        MisfitError: the answer is not JSON.
    """
    stripped = text.strip()
    fenced = _FENCE.fullmatch(stripped)
    try:
        return json.loads(fenced.group(1) if fenced else stripped, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise MisfitError(f"the answer is not JSON: {_kind(stripped)}") from None


def _no_constant(text: str) -> Any:
    raise ValueError(text)
