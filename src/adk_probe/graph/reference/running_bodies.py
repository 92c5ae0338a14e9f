"""Runs bodies: the Python statements of an IR, each in a namespace of its own.

The namespace has the harmless builtins, an import of a few pure modules of the standard library, and the IR's schemas.
It keeps well-meant bodies from using what a generated project does not have. It is not a sandbox.
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
from adk_probe.graph.reference.world import World
from adk_probe.graph.values import MisfitError, Schemas, datetime_text, fit

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
    """A body raised, or returned a value that the IR does not have; the message says which."""


class _OneOfItsName(type):
    """Treats all classes that are made for one schema as the same class."""

    def __instancecheck__(cls, instance: object) -> bool:
        own = type(instance)
        return super().__instancecheck__(instance) or (type(own) is type(cls) and own.__name__ == cls.__name__)


class Record(metaclass=_OneOfItsName):
    """A structured value as a body sees it, with the fields as attributes. Bodies make one with keyword arguments."""

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
    """Make the class that represents a schema in bodies."""
    made = _OneOfItsName(schema.name, (Record,), {"_schema": schema, "_schemas": schemas})
    return cast("type[Record]", made)


def to_python(value: Any, kind: str, schemas: Schemas) -> Any:
    """Convert a JSON value that fits ``kind`` to what a body sees: records, dates and datetimes instead of JSON."""
    if value is None:
        return None
    if kind in schemas:
        return record_class(schemas[kind], schemas)(**value)
    if kind == "date":
        return datetime.date.fromisoformat(value)
    return datetime.datetime.fromisoformat(value) if kind == "datetime" else value


def to_json(value: Any) -> Any:
    """Convert a value that a body made to a JSON value.

    Raises:
        MisfitError: the value contains something that JSON does not have.
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
    raise MisfitError(f"a body returned a {type(value).__name__}, which is not a value of the IR")


def run_body(body: str, arguments: Mapping[str, Any], schemas: Schemas, world: World | None = None) -> Any:
    """Run a body.

    Args:
        body: its statements.
        arguments: the values of its parameters as bodies see them (``to_python``).
        schemas: every schema of the IR by name.
        world: a further module that the body may import.

    Returns:
        The body's result, as a JSON value.

    Raises:
        BodyError: the body raised, or did not return a JSON value.
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
        raise ImportError(f"bodies may not import {name}; import one of {', '.join(_MODULES.split())}")
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
