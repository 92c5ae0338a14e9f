"""What random graphs and scenarios are drawn with: choices, texts that try to break out, values of types.

Needs Hypothesis, as ``flows``, ``nodes`` and ``scenarios`` do; all else of the harness does without.
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
"""Texts that have a meaning somewhere: in Python, in templates, in JSON, in prompts of the engine."""

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
"""What nearly fits, and does somewhere."""


class Dice:
    """Draws; every choice shrinks to the plainest."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred draws; shrinks to False."""
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def number(self, least: int, most: int) -> int:
        """A number of a range; shrinks to the least."""
        return self.draw(st.integers(least, most))

    def one(self, choices: Sequence[T]) -> T:
        """One of the choices; shrinks to the first."""
        return self.draw(st.sampled_from(choices))

    def text(self) -> str:
        """A text that is not empty."""
        return self.draw(_FREE) if self.chance(25) else self.one(TEXTS)

    def value(self, kind: str, schemas: dict[str, Json], *, loose: bool = False, misses: int = 0) -> Any:
        """A JSON value that fits a type.

        Args:
            kind: a scalar or the name of a schema.
            schemas: every schema by name.
            loose: fields may be left out where they may be, and others may be there.
            misses: in so many of a hundred draws a scalar does not quite fit.
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
