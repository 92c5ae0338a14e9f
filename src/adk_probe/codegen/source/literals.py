"""Text from an IR on its way into generated files: always data, never code."""

from __future__ import annotations

import json
from typing import Any

_SINGLE = (str, int, float, bool, type(None))


def literal(value: Any) -> str:
    """A Python expression for a JSON value, on one line.

    Raises:
        TypeError: the value is not a JSON value.
    """
    if isinstance(value, _SINGLE):
        return repr(value)
    if isinstance(value, list | tuple):
        inner = ", ".join(literal(item) for item in value)
        return f"[{inner}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(str(key))}: {literal(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def docstring(text: str) -> str:
    """A docstring of that text, on one line of source. Formatting may strip white space from its ends."""
    return f'"""{"".join(_escaped(char) for char in text)}"""'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if char.isprintable() else char.encode("unicode_escape").decode()


def tuple_literal(values: tuple[str, ...]) -> str:
    """A Python tuple of texts."""
    inner = ", ".join(literal(value) for value in values)
    return f"({inner},)" if len(values) == 1 else f"({inner})"


def toml_text(text: str) -> str:
    """A TOML basic string."""
    escaped = json.dumps(text, ensure_ascii=False)
    return escaped.replace("\x7f", "\\u007f")


def one_line(text: str) -> str:
    """The text as a comment or a heading can hold it: on one line, without control characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def markdown_text(text: str) -> str:
    """The text as a Markdown paragraph that shows it and does nothing else."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]()<>#+-.!|&~" else char for char in one_line(text))
