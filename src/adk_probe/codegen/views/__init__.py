"""What the templates show: an IR turned into symbols and expressions, the same for every mechanism."""

from __future__ import annotations

from dataclasses import dataclass, field

from adk_probe.codegen.source.symbols import Symbols
from adk_probe.codegen.source.typing_names import Types
from adk_probe.codegen.views.agents import AgentView, agent_views
from adk_probe.codegen.views.functions import FunctionView, ToolView, function_views, tool_views
from adk_probe.codegen.views.schemas import SchemaView, schema_views
from adk_probe.graph import ir
from adk_probe.graph.flow import NodeTypes, types_of
from adk_probe.graph.index import GraphIndex
from adk_probe.graph.query import agents_of, schemas_of, walk


@dataclass(frozen=True)
class Views:
    """Everything that templates may show.

    Attributes:
        types: by node, what arrives and leaves.
        kept: names of the nodes whose output some instruction reads from session state.
        names: by module, its symbols.
        nodes: by name, nested ones too.
        loops_before: by function that sees the run, the loops that have run before it.
    """

    graph: ir.Graph
    types: dict[str, NodeTypes]
    kept: frozenset[str]
    names: dict[str, Symbols]
    write_type: Types
    schemas: tuple[SchemaView, ...]
    functions: tuple[FunctionView, ...]
    tools: tuple[ToolView, ...]
    agents: tuple[AgentView, ...]
    loops: tuple[ir.LoopNode, ...]
    nodes: dict[str, ir.Node] = field(default_factory=dict)
    loops_before: dict[str, tuple[str, ...]] = field(default_factory=dict)


def views_of(graph: ir.Graph, reserved: frozenset[str]) -> Views:
    """The views of a valid graph, in which no symbol is one of the reserved names."""
    index = GraphIndex(graph)
    loops = tuple(node for _, _, node in walk(graph) if isinstance(node, ir.LoopNode))
    declared = (*schemas_of(graph), *(loop.evaluation for loop in loops))
    schemas = {schema.name: schema for schema in declared}
    symbols = Symbols(reserved)
    classes = tuple(symbols[name] for name in schemas)
    names = {"schemas": symbols, "functions": Symbols(reserved.union(classes))}
    names |= {module: Symbols(reserved) for module in ("tools", "agents", "workflow")}
    write_type = Types(symbols)
    types = types_of(graph)
    return Views(
        graph=graph,
        types=types,
        kept=kept_of(index),
        names=names,
        write_type=write_type,
        schemas=schema_views(declared, symbols, write_type),
        functions=tuple(function_views(graph, names["functions"], write_type, types, schemas)),
        tools=tuple(tool_views(graph, names, write_type)),
        agents=tuple(agent_views(index, names, write_type)),
        loops=loops,
        nodes={node.name: node for _, _, node in walk(graph)},
        loops_before={
            node.name: index.loops_before(home, node)
            for _, home, node in index.nodes
            if isinstance(node, ir.FunctionNode) and node.config.sees_run
        },
    )


def kept_of(index: GraphIndex) -> frozenset[str]:
    """Names of the nodes whose output some instruction reads from session state."""
    kept = set()
    for _, home, node in index.nodes:
        for _, config in agents_of(node):
            for segment in config.instruction.segments:
                entry = index.source(home, segment.source) if isinstance(segment, ir.VarSegment) else None
                if entry is not None and isinstance(segment, ir.VarSegment) and segment.via == "state":
                    kept.add(entry[2].name)
    return frozenset(kept)
