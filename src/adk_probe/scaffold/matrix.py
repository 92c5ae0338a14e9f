"""Put tables into the text of ``matrix.toml``, and leave all that people wrote there as it is; pure."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from adk_probe.project import config

FILE = "matrix.toml"
_HEADER = re.compile(r"\[\[?\s*([A-Za-z0-9_-]+)")


def added(text: str, tables: str) -> str:
    """Return the text with the tables, each behind the last one of its kind; at the end where that is not safe.

    Args:
        tables: TOML; tables of one kind stand together, with empty lines between kinds.

    Raises:
        InputError: it would not be a good ``matrix.toml``.
    """
    made, wanted = text, tomllib.loads(text)
    for table in _kinds(tables):
        wanted = _merged(wanted, tomllib.loads(table))
        placed = _placed(made, table)
        made = placed if _means(placed, wanted) else f"{made.rstrip()}\n\n{table}"
    config.parse(made, FILE)
    return made


def _kinds(tables: str) -> list[str]:
    """Return the tables of each kind as one text."""
    found: dict[str, list[str]] = {}
    kind = ""
    for line in tables.strip().splitlines():
        if header := _HEADER.match(line):
            kind = header[1]
        found.setdefault(kind, []).append(line)
    return ["\n".join(lines).strip() + "\n" for lines in found.values()]


def _placed(text: str, table: str) -> str:
    header = _HEADER.match(table)
    kind = header[1] if header else ""
    lines = text.splitlines(keepends=True)
    headers = [(number, match[1]) for number, line in enumerate(lines) if (match := _HEADER.match(line))]
    own = [place for place, (_, name) in enumerate(headers) if name == kind]
    if not own or own[-1] + 1 == len(headers):
        return f"{text.rstrip()}\n\n{table}"
    end = headers[own[-1] + 1][0]
    # the comment right above the next table is about that one
    while lines[end - 1].lstrip().startswith("#") or not lines[end - 1].strip():
        end -= 1
    return f"{''.join(lines[:end])}\n{table}{''.join(lines[end:])}"


def _means(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return both tables as one; what is in both is a table in both."""
    return {
        key: _merged(one[key], other[key]) if key in one and key in other else {**one, **other}[key]
        for key in {**one, **other}
    }
