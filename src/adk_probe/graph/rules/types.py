"""Rules for types: every reference to a schema or scalar resolves, schemas are finite, and defaults fit."""

from __future__ import annotations

from collections.abc import Iterator

from adk_probe.graph import ir
from adk_probe.graph.index import GraphIndex, found
from adk_probe.graph.ir import SCALARS, Finding, Node
from adk_probe.graph.query import agents_of
from adk_probe.graph.reading.shape import show
from adk_probe.graph.values import MisfitError, default_of

MAX_SCHEMA_DEPTH = 20
MAX_SCHEMA_FIELDS = 1_000
"""Largest number of fields of a schema, together with the fields of the schemas inside it, counted at each use."""


def check_types(index: GraphIndex) -> Iterator[Finding]:
    """Yield all findings about types."""
    yield from _fields(index)
    rounds = set(_rounds(index))
    for path, graph in index.graphs:
        for schema in graph.schemas:
            if schema.name in rounds:
                text = f"schema {show(schema.name)} contains itself through its fields; break the cycle"
                yield found(path, "SCHEMA_FIELD_CYCLE", text)
    if not rounds:
        large = list(_sizes(index))
        yield from large
        if not large:
            yield from _defaults(index)
    yield from _tools(index)
    for path, _, node in index.nodes:
        if path not in index.faulty:
            yield from _node(index, path, node)


def _fields(index: GraphIndex) -> Iterator[Finding]:
    for path, graph in index.graphs:
        for schema in graph.schemas:
            for field in schema.fields:
                if not index.is_type(field.type):
                    where = f"field {show(field.name)} of schema {show(schema.name)}"
                    kind = show(field.type)
                    text = f"{where} has the type {kind}, which is neither a scalar nor a schema; declare it"
                    yield found(path, "UNKNOWN_FIELD_TYPE", text)


def _rounds(index: GraphIndex) -> Iterator[str]:
    """Yield one schema's name for each cycle among schemas."""
    state: dict[str, int] = {}
    for start in index.schemas:
        todo = [(start, False)]
        while todo:
            name, leaving = todo.pop()
            if leaving:
                state[name] = 2
            elif state.get(name) == 1:
                yield name
            elif name not in state:
                state[name] = 1
                todo.append((name, True))
                inner = (field.type for field in index.schemas[name].fields)
                todo.extend((kind, False) for kind in inner if kind in index.schemas and state.get(kind) != 2)


def _sizes(index: GraphIndex) -> Iterator[Finding]:
    """Yield the findings about schemas that are too large when unfolded; sizes can double at each level."""
    sizes: dict[str, tuple[int, int]] = {}

    def measure(name: str) -> tuple[int, int]:
        todo = [name]
        while todo:
            here = todo[-1]
            kinds = [field.type for field in index.schemas[here].fields]
            missing = [kind for kind in kinds if kind in index.schemas and kind not in sizes]
            todo.extend(missing)
            if not missing:
                todo.pop()
                parts = [sizes.get(kind, (0, 0)) for kind in kinds]
                depth = 1 + max((part[0] for part in parts), default=0)
                sizes[here] = depth, min(10**9, len(kinds) + sum(part[1] for part in parts))
        return sizes[name]

    for path, graph in index.graphs:
        for schema in graph.schemas:
            depth, fields = measure(schema.name) if schema.name in index.schemas else (0, 0)
            if depth > MAX_SCHEMA_DEPTH or fields > MAX_SCHEMA_FIELDS:
                most = f"at most {MAX_SCHEMA_DEPTH} and {MAX_SCHEMA_FIELDS} are allowed"
                text = f"schema {show(schema.name)} unfolds to {depth} levels and {fields} fields; {most}"
                yield found(path, "SCHEMA_TOO_LARGE", text)


def _defaults(index: GraphIndex) -> Iterator[Finding]:
    for path, graph in index.graphs:
        for schema in graph.schemas:
            for field in schema.fields:
                yield from _default(index, path, f"schema {show(schema.name)}", field)
        for tool in graph.tools:
            for parameter in tool.parameters:
                # a parameter with a null default is optional
                field = ir.SchemaField(
                    name=parameter.name, type=parameter.type, optional=True, default=parameter.default
                )
                yield from _default(index, path, f"tool {show(tool.name)}", field)


def _default(index: GraphIndex, path: str, owner: str, field: ir.SchemaField) -> Iterator[Finding]:
    if not field.has_default or not index.is_type(field.type):
        return
    try:
        default_of(field, index.schemas)
    except MisfitError as misfit:
        # an unknown type inside the default's schema has a finding of its own
        if "unknown type" not in str(misfit):
            yield found(path, "BAD_DEFAULT", f"{owner}: {misfit}; correct the default")


def _tools(index: GraphIndex) -> Iterator[Finding]:
    for path, graph in index.graphs:
        for tool in graph.tools:
            own = show(tool.name)
            if not index.is_type(tool.returns):
                text = f"tool {own} returns {show(tool.returns)}, which is neither a scalar nor a schema; declare it"
                yield found(path, "TOOL_UNKNOWN_RETURN_TYPE", text)
            for parameter in tool.parameters:
                if not index.is_type(parameter.type):
                    where = f"parameter {show(parameter.name)} of tool {own}"
                    kind = show(parameter.type)
                    text = f"{where} has the type {kind}, which is neither a scalar nor a schema; declare it"
                    yield found(path, "TOOL_UNKNOWN_PARAMETER_TYPE", text)


def _node(index: GraphIndex, path: str, node: Node) -> Iterator[Finding]:
    for code, where, name, scalars in _references(node):
        if name is not None and not index.is_type(name, scalars):
            what = f"one of {', '.join(scalars)}" if len(scalars) > 1 else scalars[0]
            wrong = f"{where} is {show(name)}, which is neither a declared schema nor {what}"
            yield found(path, code, f"{wrong}; declare the schema, or use another type")


def _references(node: Node) -> Iterator[tuple[str, str, str | None, tuple[str, ...]]]:
    """Yield the code, the place, the name and the accepted scalars of every reference to a type."""
    match node:
        case ir.FunctionNode(config=step):
            yield "FUNCTION_UNKNOWN_INPUT_TYPE", "config.inputType", step.input_type, SCALARS
            yield "FUNCTION_UNKNOWN_OUTPUT_TYPE", "config.outputType", step.output_type, SCALARS
        case ir.ToolNode(config=tool):
            yield "TOOL_UNKNOWN_INPUT_TYPE", "config.inputType", tool.input_type, SCALARS
            yield "TOOL_UNKNOWN_OUTPUT_TYPE", "config.outputType", tool.output_type, SCALARS
        case ir.RouterNode(config=router):
            yield "ROUTER_UNKNOWN_INPUT_TYPE", "config.inputType", router.input_type, SCALARS
        case ir.HumanInputNode(config=human):
            yield "HUMAN_UNKNOWN_PAYLOAD_REF", "config.payloadRef", human.payload_ref, SCALARS
            yield "HUMAN_UNKNOWN_RESPONSE_REF", "config.responseSchemaRef", human.response_schema_ref, SCALARS
        case ir.LoopNode(config=loop):
            yield "LOOP_UNKNOWN_INPUT_TYPE", "config.inputType", loop.input_type, SCALARS
            if loop.approval_phrase is not None:
                yield "LOOP_UNKNOWN_PAYLOAD_TYPE", "config.payloadType", loop.payload_type, ("str",)
                return
    yield from _agents(node)


def _agents(node: Node) -> Iterator[tuple[str, str, str | None, tuple[str, ...]]]:
    for name, agent in agents_of(node):
        where = "config"
        outputs: tuple[str, ...] = ("str",)
        if isinstance(node, ir.LoopNode):
            role = name.removeprefix(f"{node.name}_")
            where = f"config.{role}"
            # the critic answers with the loop's own schema, which either name refers to
            outputs = ("str", node.evaluation_name) if role == "critic" else ("str",)
        yield "UNKNOWN_INPUT_SCHEMA_REF", f"{where}.inputSchemaRef", agent.input_schema_ref, ("str",)
        yield "UNKNOWN_OUTPUT_SCHEMA_REF", f"{where}.outputSchemaRef", agent.output_schema_ref, outputs
