"""Values on their way from step to step: JSON, checked against the declared type going in and coming out."""

from __future__ import annotations

import datetime
import inspect
import json
import logging
import re
from typing import Any, Callable, Optional

from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_FENCE = re.compile(r"```[A-Za-z0-9_+-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)

logger = logging.getLogger("adk_project.steps")
"""The project's steps, loops and tools are reported here, at DEBUG."""


class StepError(ValueError):
    """A step failed: ``code`` says how, ``step`` which."""

    def __init__(self, code: str, step: str, message: str) -> None:
        super().__init__(f"{step}: {message}")
        self.code = code
        self.step = step


def report(step: str, given: Any, output: Any, route: Any = None, number: Optional[int] = None) -> None:
    """Log a step that is done; ``number`` is the pass of a loop in which it was."""
    done = {"step": step, "given": given, "output": output, "route": route, "number": number}
    logger.debug("%s done", step, extra=done)


def plain(value: Any) -> Any:
    """The value as JSON values."""
    return json.loads(to_json(value))


def show(value: Any) -> str:
    """The value as the text that a model or a person reads."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def take(kind: Any, value: Any, step: str, code: str = "INPUT_MISFIT") -> Any:
    """What ``step`` makes of what it is given: a Python value of type ``kind``.

    Any value does for ``str``, which shows it; text is read as JSON, in a Markdown fence or not, for other types.

    Raises:
        StepError: it does not fit.
    """
    value = plain(value)
    if kind is str:
        return show(value)
    if kind is Any:
        return value
    document = json.dumps(value)
    if isinstance(value, str) and kind not in (datetime.date, datetime.datetime):
        fenced = _FENCE.fullmatch(value.strip())
        document = fenced.group(1) if fenced else value
    return _checked(kind, document, step, code)


def give(kind: Any, value: Any, step: str, code: str) -> Any:
    """What ``step`` hands on, a value of type ``kind``, as JSON values.

    Raises:
        StepError: it is not of the type.
    """
    try:
        document = to_json(value).decode()
    except ValueError as error:
        raise StepError(code, step, f"{type(value).__name__} is no JSON value: {error}") from error
    return plain(_checked(kind, document, step, code))


def _checked(kind: Any, document: str, step: str, code: str) -> Any:
    try:
        # strict, so that true is no number and "3" neither
        value = TypeAdapter(kind).validate_json(document, strict=True)
        _hold_dates(value, json.loads(document))
        return value
    except ValueError as error:
        name = getattr(kind, "__name__", str(kind))
        raise StepError(code, step, f"{document[:200]} is not of type {name}: {error}") from error


def _hold_dates(value: Any, written: Any) -> None:
    """Raise ValueError for a date that is not written as ISO 8601 writes it: pydantic takes more, numbers among it."""
    if isinstance(value, datetime.date):
        form = _DATETIME if isinstance(value, datetime.datetime) else _DATE
        if not isinstance(written, str) or not form.fullmatch(written):
            raise ValueError(f"{written!r} is no date as ISO 8601 writes it")
    elif isinstance(value, BaseModel) and isinstance(written, dict):
        for name in type(value).model_fields:
            if name in written:
                _hold_dates(getattr(value, name), written[name])


async def apply(function: Callable[..., Any], given: Any, step: str) -> Any:
    """Call the function of a step, a coroutine function or not.

    Raises:
        StepError: it raised.
    """
    try:
        result = function(given)
        return await result if inspect.isawaitable(result) else result
    except Exception as error:
        raise StepError("BODY_FAILED", step, f"{type(error).__name__}: {error}") from error
