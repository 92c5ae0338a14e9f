"""What the templates show of functions and tools."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from adk_probe.codegen.source.literals import literal
from adk_probe.codegen.source.symbols import Symbols
from adk_probe.codegen.source.typing_names import Types
from adk_probe.graph import ir
from adk_probe.graph.bodies import body_source
from adk_probe.graph.flow import DICT, NodeTypes
from adk_probe.graph.query import agent_tools, tools_of, walk
from adk_probe.graph.values import stub


@dataclass(frozen=True)
class FunctionView:
    """A function of the module ``functions``; ``body`` is indented source."""

    symbol: str
    name: str
    signature: str
    gives: str
    doc: str
    body: str


@dataclass(frozen=True)
class ToolView:
    """A tool as the engine calls it: ``function`` runs ``functions.<target>``, ``symbol`` is what agents name.

    ``required`` and ``optional`` are its parameters as a signature has them, ``arguments`` all of them with their
    types, ``defaults`` those that have one.
    """

    symbol: str
    function: str
    name: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    returns: str
    doc: str
    odd: bool
    target: str
    gives: str
    arguments: tuple[tuple[str, str], ...]
    defaults: dict[str, Any]
    confirm: bool
    destructive: bool
    role: str | None


def taken_type(name: str, wanted: str, types: dict[str, NodeTypes]) -> str:
    """The type that a step in Python takes: what it wants, but a join's dict stays one where a scalar is wanted."""
    known = types.get(name)
    return DICT if known is not None and known.arrives == DICT and wanted in ir.SCALARS else wanted


def router_type(node: ir.RouterNode, types: dict[str, NodeTypes]) -> str:
    """The type of what a router's body reads."""
    if node.config.input_type is None:
        return types[node.name].arrives
    return taken_type(node.name, node.config.input_type, types)


def function_views(
    graph: ir.Graph,
    symbols: Symbols,
    write_type: Types,
    types: dict[str, NodeTypes],
    schemas: dict[str, ir.Schema],
) -> list[FunctionView]:
    made: list[FunctionView] = []
    for _, _, node in walk(graph):
        if isinstance(node, ir.FunctionNode | ir.ToolNode):
            config = node.config
            takes, gives = write_type(taken_type(node.name, config.input_type, types)), write_type(config.output_type)
            body = _body(config.body, literal(stub(config.output_type, schemas)), write_type, schemas)
        elif isinstance(node, ir.RouterNode):
            takes, gives = write_type(router_type(node, types)), "str"
            body = _body(node.config.body, literal(node.config.routes[0]), write_type, schemas)
        else:
            continue
        doc = node.config.description or f"The step {node.name}."
        sees = ", run: dict" if isinstance(node, ir.FunctionNode) and node.config.sees_run else ""
        made.append(FunctionView(symbols[node.name], node.name, f"node_input: {takes}{sees}", gives, doc, body))
    made += [_tool(tool, symbols, write_type, schemas) for tool in tools_of(graph)]
    return made


def _tool(tool: ir.ToolDef, symbols: Symbols, write_type: Types, schemas: dict[str, ir.Schema]) -> FunctionView:
    signature = ", ".join(_declared(item, write_type) for item in tool.parameters)
    names = tuple(item.name for item in tool.parameters)
    if tool.import_ is not None:
        module, _, name = tool.import_.partition(":")
        arguments = ", ".join(names)
        body = f"    from {module} import {name} as _imported\n\n    return _imported({arguments})"
    else:
        body = _body(tool.body, literal(stub(tool.returns, schemas)), write_type, schemas)
    return FunctionView(symbols[tool.name], tool.name, signature, write_type(tool.returns), tool.description, body)


def _parameter_type(item: ir.ToolParameter, write_type: Types) -> str:
    text = write_type(item.type)
    return f"Optional[{text}]" if item.has_default and item.default is None else text


def tool_views(graph: ir.Graph, names: dict[str, Symbols], write_type: Types) -> list[ToolView]:
    used = agent_tools(graph)
    made: list[ToolView] = []
    for _, _, node in walk(graph):
        if isinstance(node, ir.ToolNode) and node.name in used:
            config = node.config
            takes = ir.ToolParameter(name="node_input", type=config.input_type)
            doc = config.description or f"The tool {node.name}."
            made.append(_tool_view(node.name, doc, (takes,), config.output_type, config.guard, names, write_type))
    made += [
        _tool_view(tool.name, tool.description, tool.parameters, tool.returns, tool.guard, names, write_type)
        for tool in tools_of(graph)
        if tool.name in used
    ]
    return made


def _tool_view(
    name: str,
    doc: str,
    parameters: tuple[ir.ToolParameter, ...],
    returns: str,
    guard: ir.Guard | None,
    names: dict[str, Symbols],
    write_type: Types,
) -> ToolView:
    symbol = names["tools"][name]
    guard = guard or ir.Guard()
    return ToolView(
        symbol=symbol,
        function=names["tools"].spare(f"_run_{symbol}"),
        name=name,
        required=tuple(_declared(item, write_type) for item in parameters if not item.has_default),
        optional=tuple(
            f"{_declared(item, write_type)} = {literal(item.default)}" for item in parameters if item.has_default
        ),
        returns="str" if returns in ("date", "datetime") else (returns if returns in ir.SCALARS else "dict"),
        doc=doc,
        odd=doc != " ".join(doc.split(" ")).strip() or not doc.isprintable(),
        target=names["functions"][name],
        gives=write_type(returns),
        arguments=tuple((item.name, write_type(item.type)) for item in parameters),
        defaults={item.name: item.default for item in parameters if item.has_default},
        confirm=guard.confirm,
        destructive=guard.destructive,
        role=guard.role,
    )


def _declared(item: ir.ToolParameter, write_type: Types) -> str:
    return f"{item.name}: {_parameter_type(item, write_type)}"


def _body(body: str | None, stubbed: str, write_type: Types, schemas: Iterable[str]) -> str:
    """The body, indented; a schema that is written under another name has its own in there."""
    if body is None:
        return f"    return {stubbed}  # TODO: a stub, which says nothing yet"
    used = {
        node.id for node in ast.walk(ast.parse(f"async def body():\n{body_source(body)}")) if isinstance(node, ast.Name)
    }
    renamed = [(name, write_type.inside(name)) for name in schemas if name in used and write_type.inside(name) != name]
    return "\n".join([*(f"    {name} = {symbol}" for name, symbol in renamed), body_source(body)])
