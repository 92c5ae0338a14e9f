"""Random Python bodies for functions, tools and routers."""

from __future__ import annotations

from collections.abc import Sequence

from adk_probe.differential.dice import Dice, Json
from adk_probe.graph.flow import DICT, UNKNOWN

_FAILING = ("raise ValueError('no')", "return []", "return 1 / 0")


def function_body(dice: Dice, takes: str, gives: str, schemas: dict[str, Json], name: str = "node_input") -> str | None:
    """Return a body, or None for a stub.

    Args:
        dice: makes the choices.
        takes: the type that the body reads: a scalar, a schema's name, ``DICT`` or ``UNKNOWN``.
        gives: the type that it returns.
        schemas: every schema by name.
        name: the name of the parameter that it reads.
    """
    if dice.chance(10):
        return None
    if dice.chance(4):
        return dice.one(_FAILING)
    text = _as_text(dice, takes, schemas, name)
    if gives in schemas:
        if takes == gives and dice.chance(40):
            return f"return {name}"
        return _record(dice, text, gives, schemas)
    if gives == "str":
        return _text(dice, text)
    return {
        "int": f"return len({text})",
        "float": f"return len({text}) / 4",
        "bool": f"return len({text}) > 3",
        "date": "import datetime\n\nreturn datetime.date(2024, 2, 29)",
        "datetime": "from datetime import datetime, timezone\nreturn datetime(2024, 2, 29, 12, tzinfo=timezone.utc)",
    }[gives]


def router_body(dice: Dice, takes: str, routes: Sequence[str], schemas: dict[str, Json]) -> str | None:
    """Return a body that chooses one of the routes, or None for a stub, which takes the first."""
    if dice.chance(8):
        return None
    if dice.chance(8):
        return dice.one(("return 'no such route'", "return 3", "raise KeyError('no')"))
    if dice.chance(40):
        return f"return {dice.one(routes)!r}"
    text = _as_text(dice, takes, schemas, "node_input")
    return f"routes = {list(routes)!r}  # all of them\nreturn routes[len({text}) % {len(routes)}]"


def _as_text(dice: Dice, takes: str, schemas: dict[str, Json], name: str) -> str:
    """Return an expression for a text that depends on the input."""
    if takes in schemas:
        fields = schemas[takes]["fields"]
        if not fields:
            return "'nothing'"
        field = dice.one(fields)
        place = f"{name}.{field['name']}"
        if field["type"] in schemas:
            return f"str({place} is None)"
        if field["type"] == "str":
            return f"({place} or 'none')" if field.get("optional") else place
        dated = field["type"] in ("date", "datetime") and not field.get("optional")
        return f"{place}.isoformat()" if dated else f"str({place} is not None)"
    if takes == DICT:
        return f"' '.join({name})" if dice.chance(50) else f"str(len({name}))"
    if takes == UNKNOWN:
        return f"('dict' if isinstance({name}, dict) else 'scalar')"
    if takes in ("date", "datetime"):
        return f"{name}.isoformat()"
    return name if takes == "str" else f"str({name})"


def _text(dice: Dice, text: str) -> str:
    shapes = (
        f"return {text}",
        f"return {dice.text()!r} + {text}",
        f'made = {text}  # "{{x}}"\nif made:\n    made = f"<{{made}}>"\nreturn made',
        f"'''a\n  doc'''\nkept = \"\"\"over\n  lines\"\"\"\n\nreturn kept + {text}",
        f"def inner(node_input):\n\treturn node_input[::-1]\nreturn inner({text})",
    )
    return dice.one(shapes)


def _record(dice: Dice, text: str, gives: str, schemas: dict[str, Json]) -> str:
    value = dice.value(gives, schemas, loose=True)
    value.pop("beside", None)
    plain = [field["name"] for field in schemas[gives]["fields"] if field["type"] == "str"]
    parts = {key: repr(part) for key, part in value.items()}
    if plain and dice.chance(60):
        parts[dice.one(plain)] = text
    if dice.chance(60):
        return f"return {gives}({', '.join(f'{key}={part}' for key, part in parts.items())})"
    return f"return {{{', '.join(f'{key!r}: {part}' for key, part in parts.items())}}}"
