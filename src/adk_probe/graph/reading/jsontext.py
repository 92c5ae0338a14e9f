"""Parses bytes into JSON values, within limits. Hostile input gives findings, never a traceback."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from adk_probe.graph.ir import Finding
from adk_probe.graph.reading.shape import BROKEN, JsonObject

MAX_BYTES = 5_000_000
MAX_DEPTH = 100
"""Largest depth of brackets inside brackets; a nested workflow needs five."""
MAX_DIGITS = 300

_MARK = re.compile(r'\\.|["\[\]{}]', re.DOTALL)


class _RefusedError(ValueError):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.finding = Finding(path="", code=code, message=message)


def parse(data: bytes, name: str) -> tuple[Any, list[Finding]]:
    """Parse a file's bytes.

    Args:
        data: the file, in UTF-8, with or without a byte order mark.
        name: the file's name in messages.

    Returns:
        The value, with its objects as ``JsonObject``, and no finding; or ``BROKEN`` and one finding:
        ``FILE_TOO_LARGE``, ``NOT_UTF8``, ``TOO_DEEP``, ``NOT_JSON`` or ``NUMBER_OUT_OF_RANGE``.
    """
    try:
        return _parse(data, name), []
    except _RefusedError as refused:
        return BROKEN, [refused.finding]


def _parse(data: bytes, name: str) -> Any:
    if len(data) > MAX_BYTES:
        raise _RefusedError("FILE_TOO_LARGE", f"{name} has {len(data)} bytes; make it at most {MAX_BYTES}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _RefusedError("NOT_UTF8", f"{name} is not UTF-8 at byte {error.start}; save it as UTF-8") from None
    if depth_exceeds(text, MAX_DEPTH):
        raise _RefusedError("TOO_DEEP", f"{name} nests brackets more than {MAX_DEPTH} deep; nest fewer")
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise _RefusedError("NOT_JSON", f"{name} is not JSON: {error.msg}; correct it at {place}") from None


def depth_exceeds(text: str, limit: int) -> bool:
    """Whether brackets outside strings nest deeper than ``limit``."""
    depth = 0
    inside = False
    for mark in _MARK.finditer(text):
        char = mark.group()
        if char == '"':
            inside = not inside
        elif not inside and char in "[{":
            depth += 1
            if depth > limit:
                return True
        elif not inside and char in "]}":
            depth -= 1
    return False


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = JsonObject(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        made.duplicates = tuple(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return made


def _constant(text: str) -> Any:
    raise _RefusedError("NOT_JSON", f"{text} is not a JSON number; write a finite number or null")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _RefusedError("NUMBER_OUT_OF_RANGE", f"the number {text[:40]} is too large; write a finite one")
    return value


def _int(text: str) -> int:
    # the length is limited because converting digits to an integer takes quadratic time
    if len(text) > MAX_DIGITS:
        message = f"the number {text[:40]}... is too large; write at most {MAX_DIGITS} digits"
        raise _RefusedError("NUMBER_OUT_OF_RANGE", message)
    return int(text)
