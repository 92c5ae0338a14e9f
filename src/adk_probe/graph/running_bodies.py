"""Runs bodies: Python that an IR brings along, over its input, in a namespace of its own.

The namespace has the harmless builtins, a few pure modules of the standard library to import, and the IR's
schemas. It keeps honest bodies from leaning on what a generated project will not have; it is no prison.
"""

from __future__ import annotations

import ast
import builtins
import datetime
import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any, cast

from adk_probe.graph.bodies import body_function
from adk_probe.graph.ir import Schema
from adk_probe.graph.values import MisfitError, Schemas, datetime_text, fit
from adk_probe.graph.world import World

_NAMES = """
    abs all any ascii bin bool bytes callable chr complex dict divmod enumerate filter float format frozenset
    getattr hasattr hash hex int isinstance issubclass iter len list map max min next object oct ord pow print
    property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type zip
    __build_class__ Ellipsis NotImplemented ArithmeticError AssertionError AttributeError Exception IndexError
    KeyError LookupError NameError NotImplementedError OverflowError RuntimeError StopIteration TypeError
    UnicodeError ValueError ZeroDivisionError
"""
_MODULES = """
    base64 calendar collections dataclasses datetime decimal enum fractions functools hashlib itertools json math
    operator re statistics string textwrap typing unicodedata urllib.parse
"""


class BodyError(Exception):
    """A body raised, or gave a value that is none of the IR; the message says which."""


class _OneOfItsName(type):
    """Classes of one schema are one, however often they are made."""

    def __instancecheck__(cls, instance: object) -> bool:
        own = type(instance)
        return super().__instancecheck__(instance) or (type(own) is type(cls) and own.__name__ == cls.__name__)


class Record(metaclass=_OneOfItsName):
    """A structured value as a body sees it: fields as attributes, made with keyword arguments."""

    _schema: Schema
    _schemas: Schemas

    def __init__(self, /, **fields: Any) -> None:
        unknown = sorted(fields.keys() - {field.name for field in self._schema.fields})
        if unknown:
            raise TypeError(f"{self._schema.name} has no field {unknown[0]!r}")
        whole = fit(to_json(fields), self._schema.name, self._schemas)
        for field in self._schema.fields:
            setattr(self, field.name, to_python(whole[field.name], field.type, self._schemas))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and to_json(self) == to_json(other)

    __hash__ = None  # type: ignore[assignment]


def record_class(schema: Schema, schemas: Schemas) -> type[Record]:
    """The class that stands for a schema in bodies."""
    made = _OneOfItsName(schema.name, (Record,), {"_schema": schema, "_schemas": schemas})
    return cast("type[Record]", made)


def to_python(value: Any, kind: str, schemas: Schemas) -> Any:
    """A fitting JSON value as a body sees it: records, dates and moments instead of dicts and text."""
    if value is None:
        return None
    if kind in schemas:
        return record_class(schemas[kind], schemas)(**value)
    if kind == "date":
        return datetime.date.fromisoformat(value)
    return datetime.datetime.fromisoformat(value) if kind == "datetime" else value


def to_json(value: Any) -> Any:
    """What a body made, as a JSON value.

    Raises:
        MisfitError: it holds something that JSON has not.
    """
    if isinstance(value, Record):
        return {field.name: to_json(getattr(value, field.name)) for field in value._schema.fields}
    if isinstance(value, datetime.datetime):
        return datetime_text(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: to_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise MisfitError(f"a body gave a {type(value).__name__}, which is no value of the IR")


def run_body(body: str, arguments: Mapping[str, Any], schemas: Schemas, world: World | None = None) -> Any:
    """Run a body.

    Args:
        body: its statements.
        arguments: its parameters' values as bodies see them (``to_python``).
        schemas: every schema of the IR by name.
        world: a module more that it may import.

    Returns:
        What it returned, as a JSON value.

    Raises:
        BodyError: it raised, or returned what is no JSON value.
    """
    namespace: dict[str, Any] = {name: record_class(schema, schemas) for name, schema in schemas.items()}
    namespace |= {"__builtins__": _builtins(world), "__name__": "body"}
    function = body_function(body, "body", tuple(arguments))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(ast.Module(body=[function], type_ignores=[]), "<body>", "exec"), namespace)  # noqa: S102
            return to_json(namespace["body"](**arguments))
    except Exception as error:
        raise BodyError(f"{type(error).__name__}: {error}") from error


def _import(name: str, *args: Any) -> Any:
    if name not in _MODULES.split():
        raise ImportError(f"bodies may not import {name}")
    module = importlib.import_module(name)
    fromlist = args[2] if len(args) > 2 else ()
    return module if fromlist else importlib.import_module(name.partition(".")[0])


def _builtins(world: World | None) -> dict[str, Callable[..., Any]]:
    if world is None:
        return _BUILTINS

    def import_world(name: str, *args: Any) -> Any:
        return world.module if name == world.name else _import(name, *args)

    return {**_BUILTINS, "__import__": import_world}


_BUILTINS: dict[str, Callable[..., Any]] = {
    **{name: getattr(builtins, name) for name in _NAMES.split()},
    "__import__": _import,
}
