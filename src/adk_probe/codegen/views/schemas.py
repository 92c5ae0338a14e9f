"""What the templates show of schemas: pydantic models."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass

from adk_probe.codegen.source.literals import literal
from adk_probe.codegen.source.symbols import Symbols
from adk_probe.codegen.source.typing_names import Types
from adk_probe.graph import ir


@dataclass(frozen=True)
class SchemaView:
    """A pydantic model.

    Attributes:
        symbol: its class.
        lines: the declarations of its fields.
        aliases: names that stand for types which a field of the same name hides.
    """

    symbol: str
    lines: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...]


def schema_views(schemas: tuple[ir.Schema, ...], symbols: Symbols, write_type: Types) -> tuple[SchemaView, ...]:
    """The models of schemas, each after those that its fields refer to."""
    return tuple(_schema(schema, symbols, write_type) for schema in _ordered(schemas))


def _ordered(schemas: tuple[ir.Schema, ...]) -> tuple[ir.Schema, ...]:
    """Each schema after those that its fields refer to."""
    by_name = {schema.name: schema for schema in schemas}
    done: dict[str, ir.Schema] = {}

    def visit(schema: ir.Schema) -> None:
        for part in schema.fields:
            if part.type in by_name and part.type not in done:
                visit(by_name[part.type])
        done.setdefault(schema.name, schema)

    for schema in schemas:
        visit(schema)
    return tuple(done.values())


def _schema(schema: ir.Schema, symbols: Symbols, write_type: Types) -> SchemaView:
    names = {part.name for part in schema.fields}
    aliases: dict[str, str] = {}

    def annotation(part: ir.SchemaField) -> str:
        text = write_type.inside(part.type)
        root = text.partition(".")[0]
        if root in names:  # inside the class that name is the field
            aliases[f"_{symbols[schema.name]}_{root}"] = root
            text = f"_{symbols[schema.name]}_{text}"
        return text

    def line(part: ir.SchemaField) -> str:
        text = annotation(part)
        kind = f"Optional[{text}]" if part.optional else text
        return f"{part.name}: {kind}{_default(part, text)}"

    lines = tuple(line(part) for part in schema.fields)
    return SchemaView(symbols[schema.name], lines, tuple(aliases.items()))


def _default(part: ir.SchemaField, text: str) -> str:
    """What follows the annotation: the default, as a Python value of the type, which is written ``text``."""
    if not part.has_default:
        return " = None" if part.optional else ""
    if part.default is None or part.type in ("str", "int", "float", "bool"):
        return f" = {literal(part.default)}"
    if part.type == "date":
        day = datetime.date.fromisoformat(str(part.default))
        return f" = {text}({day.year}, {day.month}, {day.day})"
    if part.type == "datetime":
        moment = datetime.datetime.fromisoformat(str(part.default))
        return f" = {text}.fromisoformat({literal(moment.isoformat())})"
    document = literal(json.dumps(part.default, ensure_ascii=False))
    return f" = Field(default_factory=lambda: {text}.model_validate_json({document}))"
