"""A file's graph with the lookups that the rules need: one flat namespace over all nested graphs."""

from __future__ import annotations

from adk_probe.graph import ir
from adk_probe.graph.flow import NodeTypes, types_of
from adk_probe.graph.ir import Finding, Graph, Node
from adk_probe.graph.query import agent_tools, ancestors, graphs_of, schemas_of, tools_of, walk


class GraphIndex:
    """The outermost graph, flattened.

    Args:
        graph: the outermost graph.
        faulty: paths of nodes that replace unreadable ones; no rule checks their content.
    """

    def __init__(self, graph: Graph, faulty: frozenset[str] = frozenset()) -> None:
        self.graph = graph
        self.faulty = faulty
        self.nodes: list[tuple[str, Graph, Node]] = list(walk(graph))
        self.graphs: list[tuple[str, Graph]] = list(graphs_of(graph))
        self.schemas: dict[str, ir.Schema] = {
            schema.name: schema for schema in schemas_of(graph) if schema.name not in ir.SCALARS
        }
        self.tools: dict[str, ir.ToolDef] = {tool.name: tool for tool in tools_of(graph)}
        self.by_name: dict[str, tuple[str, Graph, Node]] = {}
        for entry in self.nodes:
            self.by_name.setdefault(entry[2].name, entry)
        self.used_tools = agent_tools(graph)
        self._around: dict[int, tuple[Graph | None, Node | None]] = {
            id(node.config.graph): (home, node) for _, home, node in self.nodes if isinstance(node, ir.WorkflowNode)
        }
        self._before: dict[tuple[int, str], frozenset[str]] = {}
        self._types: dict[str, NodeTypes] | None = None

    @property
    def types(self) -> dict[str, NodeTypes]:
        """Types by node name, computed on first use."""
        if self._types is None:
            self._types = types_of(self.graph)
        return self._types

    def is_type(self, name: str | None, scalars: tuple[str, ...] = ir.SCALARS) -> bool:
        """Whether the name is a schema or one of ``scalars``."""
        return name in self.schemas or name in scalars

    def source(self, graph: Graph, ref: str) -> tuple[str, Graph, Node] | None:
        """Find the node that a variable's ``source`` names: by name, or by id in this graph or one around it."""
        if ref in self.by_name:
            return self.by_name[ref]
        here: Graph | None = graph
        while here is not None:
            node = here.node(ref)
            if node is not None:
                return self.by_name.get(node.name)
            here = self._around.get(id(here), (None, None))[0]
        return None

    def is_ancestor(self, source: Node, graph: Graph, node: Node) -> bool:
        """Whether ``source`` can run before ``node`` of ``graph``.

        The nodes that can are the ancestors in the same graph, everything nested in them, and the same again for each
        workflow node around it.
        """
        here: Graph | None = graph
        inner: Node | None = node
        while here is not None and inner is not None:
            key = (id(here), inner.id)
            if key not in self._before:
                self._before[key] = ancestors(here, inner.id)
            before = self._before[key]
            for other in here.nodes:
                if other.id in before and (other is source or _holds(other, source)):
                    return True
            here, inner = self._around.get(id(here), (None, None))
        return False

    def loops_before(self, graph: Graph, node: Node) -> tuple[str, ...]:
        """Return the names of the loops that can run before ``node`` of ``graph``, in file order."""
        return tuple(
            other.name
            for _, _, other in self.nodes
            if isinstance(other, ir.LoopNode) and self.is_ancestor(other, graph, node)
        )


def _holds(outer: Node, wanted: Node) -> bool:
    """Whether the outer node is a workflow that contains the other node."""
    return isinstance(outer, ir.WorkflowNode) and any(node is wanted for _, _, node in walk(outer.config.graph))


def found(path: str, code: str, message: str) -> Finding:
    """Make a finding."""
    return Finding(path=path, code=code, message=message)
