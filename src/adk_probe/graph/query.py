"""Questions about a graph whose answers the validator, the reference and the generator share."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from adk_probe.graph import ir
from adk_probe.graph.ir import START, Edge, Graph, Node, Schema, ToolDef, WorkflowNode


def label(name: str, index: int) -> str:
    """Return a node's part of a path: its name, or its index if the name is not readable in a path."""
    return name if name.isprintable() and name and "/" not in name and len(name) <= 80 else f"nodes[{index}]"


def walk(graph: Graph, path: str = "") -> Iterator[tuple[str, Graph, Node]]:
    """Yield every node in file order, a workflow before its content, as path, graph and node."""
    for index, node in enumerate(graph.nodes):
        own = label(node.name, index)
        here = f"{path}/{own}" if path else own
        yield here, graph, node
        if isinstance(node, WorkflowNode):
            yield from walk(node.config.graph, here)


def graphs_of(graph: Graph) -> Iterator[tuple[str, Graph]]:
    """Yield the graph and every nested one, in file order, each with its path (empty for the outermost)."""
    yield "", graph
    for path, _, node in walk(graph):
        if isinstance(node, WorkflowNode):
            yield path, node.config.graph


def schemas_of(graph: Graph) -> tuple[Schema, ...]:
    """Return every declared schema, in file order; nested graphs share one flat namespace with the outer graph."""
    return tuple(schema for _, inner in graphs_of(graph) for schema in inner.schemas)


def tools_of(graph: Graph) -> tuple[ToolDef, ...]:
    """Return every top-level tool, nested graphs included, in file order."""
    return tuple(tool for _, inner in graphs_of(graph) for tool in inner.tools)


def agent_tools(graph: Graph) -> frozenset[str]:
    """Return the names of all tools that some agent may call, members of loops included."""
    return frozenset(name for _, _, node in walk(graph) for _, agent in agents_of(node) for name in agent.tools)


def guards_of(graph: Graph) -> dict[str, ir.Guard]:
    """Return the guard of each tool that has one, by name, for tools drawn as nodes and top-level tools."""
    found = {node.name: node.config.guard for _, _, node in walk(graph) if isinstance(node, ir.ToolNode)}
    found |= {tool.name: tool.guard for tool in tools_of(graph)}
    return {name: guard for name, guard in found.items() if guard is not None}


def confirmed_tools(graph: Graph) -> frozenset[str]:
    """Return the names of the tools whose calls a person must confirm."""
    return frozenset(name for name, guard in guards_of(graph).items() if guard.confirm)


def has_exit(graph: Graph, agent: ir.AgentConfig) -> bool:
    """Whether an agent has the exit tool, and the file does not declare a tool of that name."""
    declared = {tool.name for tool in tools_of(graph)} | {node.name for _, _, node in walk(graph)}
    return ir.EXIT_TOOL in agent.tools and ir.EXIT_TOOL not in declared


def has_guards(graph: Graph) -> bool:
    """Whether some tool of the graph is guarded, or the exit tool can end some loop."""
    exits = any(has_exit(graph, agent) for _, _, node in walk(graph) for _, agent in agents_of(node))
    return exits or any(guard != ir.Guard() for guard in guards_of(graph).values())


def agents_of(node: Node) -> tuple[tuple[str, ir.AgentConfig], ...]:
    """Return the agents of a node with their generated names: one agent, the members of a loop, or none."""
    if isinstance(node, ir.AgentNode):
        return ((node.name, node.config),)
    if isinstance(node, ir.LoopNode):
        return tuple((node.member(role), agent) for role, agent in node.members)
    return ()


def edges_into(graph: Graph, node_id: str) -> tuple[Edge, ...]:
    """Return the edges that end in a node, in file order."""
    return tuple(edge for edge in graph.edges if edge.to == node_id)


def edges_from(graph: Graph, node_id: str) -> tuple[Edge, ...]:
    """Return the edges that leave a node (or ``START``), in file order."""
    return tuple(edge for edge in graph.edges if edge.from_ == node_id)


def in_flow(graph: Graph, node: Node) -> bool:
    """Whether the node is a step of its graph; a tool without edges is only an agent's tool."""
    touched = any(node.id in (edge.from_, edge.to) for edge in graph.edges)
    return touched or not isinstance(node, ir.ToolNode)


def terminals(graph: Graph) -> tuple[Node, ...]:
    """Return the steps that no edge leaves, in file order."""
    sources = {edge.from_ for edge in graph.edges}
    return tuple(node for node in graph.nodes if node.id not in sources and in_flow(graph, node))


def topological(graph: Graph) -> tuple[Node, ...]:
    """Return the nodes in topological order, ties in file order. Nodes on a cycle are left out."""
    place = {node.id: index for index, node in enumerate(graph.nodes)}
    pairs = {(edge.from_, edge.to) for edge in graph.edges if edge.from_ in place and edge.to in place}
    after: dict[str, list[str]] = {}
    waits = dict.fromkeys(place, 0)
    for source, target in pairs:
        after.setdefault(source, []).append(target)
        waits[target] += 1
    ready = sorted(place[node_id] for node_id, count in waits.items() if count == 0)
    order: list[Node] = []
    while ready:
        node = graph.nodes[heappop(ready)]
        order.append(node)
        for target in after.get(node.id, ()):
            waits[target] -= 1
            if waits[target] == 0:
                heappush(ready, place[target])
    return tuple(order)


def ancestors(graph: Graph, node_id: str) -> frozenset[str]:
    """Return the ids of the nodes of the same graph from which edges lead to the node."""
    into: dict[str, list[str]] = {}
    for edge in graph.edges:
        into.setdefault(edge.to, []).append(edge.from_)
    seen: set[str] = set()
    todo = list(into.get(node_id, []))
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo.extend(into.get(here, []))
    return frozenset(seen - {START})
