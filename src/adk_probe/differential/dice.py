"""Draws the parts of random graphs and scenarios: choices, texts with special characters, and values of types.

It needs Hypothesis, as do ``flows``, ``nodes`` and ``scenarios``. The rest of the harness does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

Json = dict[str, Any]
T = TypeVar("T")

TEXTS = (
    "a",
    "On ice.",
    "two\nlines",
    'He said "no".',
    "it's",
    "{x} and {{y}}",
    "{state_key?} {artifact.f}",
    '"""',
    "'''",
    "back\\slash \\n",
    "ends in \\",
    "naïve 雪 ☃",
    "  spaces  ",
    "\ttab\r\n",
    "```json\n{}\n```",
    "5",
    '{"a": 1}',
    "true",
    "null",
    "%s ${x} #{y}",
    "# not a comment",
    "None",
)
"""Texts that have a meaning somewhere: in Python, in templates, in JSON, or in the engine's prompts."""

_FREE = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)
_SCALARS: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, -7, 2**40),
    "float": (0.0, 0.5, 3, -1.25, 1e20),
    "bool": (False, True),
    "date": ("2024-02-29", "1970-01-01"),
    "datetime": (
        "2024-02-29T12:30:00",
        "2024-02-29T12:30:00Z",
        "2024-02-29T12:30:00.5",
        "1999-12-31T23:59:59.000001+02:00",
    ),
}
_MISSES: dict[str, tuple[Any, ...]] = {
    "str": (5, True),
    "int": (2.0, "3", True),
    "float": ("0.5", False),
    "bool": (0, "true"),
    "date": ("0", "2024-2-9", "2023-02-29", "2024-02-29T00:00:00"),
    "datetime": ("0", "2024-02-29T12:30", "2024-02-29 12:30:00", "2024-02-29T12:30:00z", "2024-02-29"),
}
"""Values that almost fit a type, and that some parsers accept."""


class Dice:
    """Draws. Every choice shrinks to the simplest one."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def chance(self, percent: int) -> bool:
        """Return True in the given percentage of draws; shrinks to False."""
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def number(self, least: int, most: int) -> int:
        """Return a number of a range; shrinks to the least."""
        return self.draw(st.integers(least, most))

    def one(self, choices: Sequence[T]) -> T:
        """Return one of the choices; shrinks to the first."""
        return self.draw(st.sampled_from(choices))

    def text(self) -> str:
        """Return a text that is not empty."""
        return self.draw(_FREE) if self.chance(25) else self.one(TEXTS)

    def value(self, kind: str, schemas: dict[str, Json], *, loose: bool = False, misses: int = 0) -> Any:
        """Return a JSON value that fits a type.

        Args:
            kind: a scalar or the name of a schema.
            schemas: every schema by name.
            loose: whether optional fields may be missing and unknown fields may be present.
            misses: percentage of the scalars that almost fit, but do not.
        """
        if misses and kind in _MISSES and self.chance(misses):
            return self.one(_MISSES[kind])
        if kind == "str":
            return self.text()
        if kind not in schemas:
            return self.one(_SCALARS[kind])
        made: Json = {}
        for field in schemas[kind]["fields"]:
            may_go = field.get("optional") or "default" in field
            if may_go and loose and self.chance(30):
                continue
            empty = field.get("optional") and self.chance(25)
            made[field["name"]] = None if empty else self.value(field["type"], schemas, loose=loose, misses=misses)
        if loose and self.chance(5):
            made["beside"] = 1
        return made
