"""Rules for prompt variables: the source runs before, its schema is declared, and the field exists."""

from __future__ import annotations

from collections.abc import Iterator

from adk_probe.graph import ir
from adk_probe.graph.flow import UNKNOWN
from adk_probe.graph.index import GraphIndex, found
from adk_probe.graph.ir import Finding, Graph, Node
from adk_probe.graph.query import agents_of
from adk_probe.graph.reading.shape import show


def check_vars(whole: GraphIndex) -> Iterator[Finding]:
    """Yield all findings about the variables of instructions."""
    for path, graph, node in whole.nodes:
        for name, agent in agents_of(node):
            own = f".{name.removeprefix(node.name + '_')}" if isinstance(node, ir.LoopNode) else ""
            for index, segment in enumerate(agent.instruction.segments):
                if isinstance(segment, ir.VarSegment):
                    where = f"config{own}.instruction.segments[{index}]"
                    check = _Variable(whole, path, where, segment)
                    yield from check.schema()
                    yield from check.origin(graph, node)
                    yield from check.own_input(agent)


class _Variable:
    """One variable of one agent."""

    def __init__(self, index: GraphIndex, path: str, where: str, segment: ir.VarSegment) -> None:
        self.index = index
        self.path = path
        self.where = where
        self.segment = segment

    def _found(self, code: str, text: str) -> Finding:
        return found(self.path, code, f"{self.where}: {text}")

    def schema(self) -> Iterator[Finding]:
        schema = self.index.schemas.get(self.segment.schema)
        if schema is None:
            text = f"{show(self.segment.schema)} is not a declared schema; declare it, or use another one"
            yield self._found("VAR_UNKNOWN_SCHEMA", text)
        elif schema.field(self.segment.field) is None:
            text = f"schema {show(schema.name)} has no field {show(self.segment.field)}; name one of its fields"
            yield self._found("VAR_FIELD_NOT_FOUND", text)

    def origin(self, graph: Graph, node: Node) -> Iterator[Finding]:
        entry = self.index.source(graph, self.segment.source)
        if entry is None:
            text = f"{show(self.segment.source)} is not a node; name a node"
            yield self._found("VAR_SOURCE_NOT_NODE", text)
            return
        path, _, source = entry
        if path not in self.index.faulty:
            yield from self._type(source)
        if self.segment.via == "state" and not self.index.is_ancestor(source, graph, node):
            text = f"{show(self.segment.source)} does not run before this node; name a node that does"
            yield self._found("VAR_SOURCE_NOT_ANCESTOR", text)

    def _type(self, source: Node) -> Iterator[Finding]:
        types = self.index.types.get(source.name)
        if types is None or (types.leaves == UNKNOWN and self.index.faulty):
            return  # behind a cycle or an unreadable node, which have findings of their own
        if types.leaves not in self.index.schemas:
            kind = f"the output of {show(source.name)} has the type {show(types.leaves)}"
            text = f"{kind}, which is not a declared schema; name a source with a schema"
            yield self._found("VAR_SOURCE_NOT_STRUCTURED", text)
        elif types.leaves != self.segment.schema and self.segment.schema in self.index.schemas:
            kind, wanted = show(types.leaves), show(self.segment.schema)
            text = f"the output of {show(source.name)} has the schema {kind}, not {wanted}; write {kind}"
            yield self._found("VAR_SCHEMA_MISMATCH_SOURCE", text)

    def own_input(self, agent: ir.AgentConfig) -> Iterator[Finding]:
        known = self.segment.schema in self.index.schemas
        if self.segment.via == "input" and known and agent.input_schema_ref != self.segment.schema:
            own = show(agent.input_schema_ref)
            wanted = show(self.segment.schema)
            text = f"it reads the agent's input, whose inputSchemaRef is {own}, not {wanted}; change one of them"
            yield self._found("VAR_INPUT_SCHEMA_MISMATCH", text)
