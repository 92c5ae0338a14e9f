"""Random graphs, valid by construction: nested sequences, routers and fan-outs over every node type."""

from __future__ import annotations

import json

from hypothesis import strategies as st
from msgspec import Struct, structs

from adk_probe.differential.dice import Dice, Json
from adk_probe.differential.nodes import Known, Nodes
from adk_probe.graph.flow import DICT, UNKNOWN
from adk_probe.graph.ir import SCALARS, START
from adk_probe.graph.rules.validate import check

_NAMES = ("g", "my_graph", "root_agent", "Été")
_STEPS = (
    "function",
    "agent",
    "loop",
    "agent",
    "loop",
    "loop",
    "router",
    "fan-out",
    "human",
    "tool",
    "workflow",
    "function",
    "router",
    "join",
)
_DEEPEST = 2


class Head(Struct, frozen=True):
    """A loose end that the next edge starts from: a node's id and type, and the route if the node is a router."""

    id: str
    type: str
    route: str | None = None


class Flow(Struct, frozen=True):
    """The part of a graph that was built so far.

    Attributes:
        heads: the loose ends where it continues.
        kind: the type of the value at the loose ends.
        known: the nodes that come before.
        apart: whether several heads may run together.
    """

    heads: tuple[Head, ...]
    kind: str
    known: tuple[Known, ...]
    apart: bool = False

    @property
    def closed(self) -> bool:
        """Whether it ends in one node that is not a router."""
        return len(self.heads) == 1 and self.heads[0].route is None


class Flows:
    """Builds the graphs of one file."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.nodes = Nodes(dice)
        self.left = dice.one((1, 3, 4, 5, 6, 7, 8, 9))

    def outermost(self) -> Json:
        """Return a complete file."""
        made = self._graph(self.dice.one(_NAMES), "str", (), 0)[0]
        return _with_another_edge(made, self.dice) if self.dice.chance(25) else made

    def _graph(self, name: str, arrives: str, known: tuple[Known, ...], depth: int) -> tuple[Json, Flow]:
        dice = self.dice
        version = dice.one(("0.2.0", "0.2", "0.1.0")) if dice.chance(40) else "0.2.0"
        graph: Json = {"irVersion": version, "name": name, "schemas": [], "nodes": [], "edges": []}
        if dice.chance(15):
            graph["description"] = dice.text()
        for _ in range(dice.one((0, 1, 1, 2))):
            graph["schemas"].append(self.nodes.schema())
        start = Flow((Head(START, START),), arrives, known)
        flow = self._sequence(graph, start, dice.one((1, 2, 3, 3, 4, 4, 5)), depth, last=True)
        flow = self._ended(graph, flow)
        if dice.chance(15):
            graph["nodes"].reverse()
        return graph, flow

    def _sequence(self, graph: Json, flow: Flow, length: int, depth: int, *, last: bool) -> Flow:
        for index in range(length):
            if flow.apart or (index > 0 and self.left <= 0):
                break
            self.left -= 1
            flow = self._item(graph, flow, depth, last=last and index == length - 1)
        return flow

    def _item(self, graph: Json, flow: Flow, depth: int, *, last: bool) -> Flow:
        kind = self.dice.one(_STEPS)
        after_loop = any(head.type == "loop" for head in flow.heads)
        if kind == "loop" and len(flow.heads) > 1:
            kind = "function"
        elif kind == "fan-out" and after_loop:
            kind = "agent"
        elif kind == "join" and (not flow.closed or flow.heads[0].id == START):
            kind = "function"
        elif kind == "workflow" and depth >= _DEEPEST:
            kind = "loop" if len(flow.heads) == 1 else "agent"
        if kind == "router":
            return self._router(graph, flow, depth, last=last)
        if kind == "fan-out":
            return self._fan_out(graph, flow, depth, last=last)
        return self._single(graph, flow, kind, depth)

    def _single(self, graph: Json, flow: Flow, kind: str, depth: int) -> Flow:
        inner: tuple[Known, ...] = ()
        match kind:
            case "agent":
                node, gives = self.nodes.agent(flow.kind, flow.known, graph)
            case "loop":
                node, gives = self.nodes.loop(flow.kind, flow.known, graph)
            case "human":
                node, gives = self.nodes.human(flow.kind)
            case "join":
                node, gives = self.nodes.node("join", "j", self.nodes.described({})), DICT
            case "workflow":
                nested, ended = self._graph(self.dice.one(("inner", "g", "sub")), flow.kind, flow.known, depth + 1)
                node, gives = self.nodes.node("workflow", "w", self.nodes.described({"graph": nested})), ended.kind
                # outside of its graph, an id means nothing
                inner = tuple(structs.replace(each, ref=each.name) for each in ended.known if each not in flow.known)
            case _:
                node, gives = self.nodes.function(flow.kind, "tool" if kind == "tool" else "function")
        return self._add(graph, flow, node, gives, inner)

    def _add(self, graph: Json, flow: Flow, node: Json, gives: str, inner: tuple[Known, ...] = ()) -> Flow:
        graph["nodes"].append(node)
        for head in flow.heads:
            edge = {"from": head.id, "to": node["id"]}
            graph["edges"].append(edge if head.route is None else {**edge, "route": head.route})
        ref = node["name"] if self.dice.chance(80) else node["id"]
        known = tuple(dict.fromkeys((*flow.known, *inner, Known(node["name"], ref, gives))))
        return Flow((Head(node["id"], node["type"]),), gives, known)

    def _router(self, graph: Json, flow: Flow, depth: int, *, last: bool) -> Flow:
        node = self.nodes.router(flow.kind)
        begun = self._add(graph, flow, node, flow.kind)
        ways = []
        for route in node["config"]["routes"]:
            branch = structs.replace(begun, heads=(Head(node["id"], "router", route),))
            ways.append(self._sequence(graph, branch, self.dice.number(0, 2), depth, last=last))
        return _merged(ways, apart=any(way.apart for way in ways), kind=None)

    def _fan_out(self, graph: Json, flow: Flow, depth: int, *, last: bool) -> Flow:
        joined = not last or self.dice.chance(75)
        ways: list[Flow] = []
        for index in range(self.dice.number(2, 3)):
            bare = index == 0 and joined and len(flow.heads) == 1 and flow.heads[0].id != START
            least = 0 if bare and self.dice.chance(15) else 1
            length = self.dice.number(1, 2) if least else 0
            way = self._sequence(graph, flow, length, depth, last=False)
            if length and not way.closed and joined:
                way = self._single(graph, way, "function", depth)
            ways.append(way)
        one_each = all(way.closed for way in ways)
        if not joined:
            return _merged(ways, apart=True, kind=DICT if one_each else UNKNOWN)
        if self.dice.chance(20):
            ways.reverse()
        node = self.nodes.node("join", "j", self.nodes.described({}))
        gathered = self._add(graph, _merged(ways, apart=False, kind=DICT), node, DICT)
        return self._record(graph, gathered, ways) if self.dice.chance(25) else gathered

    def _record(self, graph: Json, flow: Flow, ways: list[Flow]) -> Flow:
        """Add a step after a join that takes the join's dict as a schema."""
        names = {node["id"]: node["name"] for node in graph["nodes"]}
        kinds = {names[way.heads[0].id]: way.kind for way in ways if way.heads[0].id in names}
        if len(kinds) != len(ways) or not all(kind in SCALARS or kind in self.nodes.schemas for kind in kinds.values()):
            return flow
        schema: Json = {
            "name": self.nodes.name("S", plain=True),
            "fields": [{"name": key, "type": kind} for key, kind in kinds.items()],
        }
        self.nodes.schemas[schema["name"]] = schema
        graph["schemas"].append(schema)
        config = {"inputType": schema["name"], "outputType": "str", "body": "return type(node_input).__name__"}
        return self._add(graph, flow, self.nodes.node("function", "f", config), "str")

    def _ended(self, graph: Json, flow: Flow) -> Flow:
        """Return the flow with a node behind each route that leads nowhere yet."""
        if all(head.route is None for head in flow.heads):
            return flow
        if not flow.apart and self.dice.chance(50):
            return self._single(graph, flow, "function", _DEEPEST)
        ways = []
        for head in flow.heads:
            way = structs.replace(flow, heads=(head,), apart=False)
            ways.append(way if head.route is None else self._single(graph, way, "function", _DEEPEST))
        return _merged(ways, apart=flow.apart, kind=UNKNOWN if flow.apart else None)


def _merged(ways: list[Flow], *, apart: bool, kind: str | None) -> Flow:
    """Combine flows that run side by side; without a kind, take the one that all have in common."""
    kinds = {way.kind for way in ways}
    common = kinds.pop() if len(kinds) == 1 else UNKNOWN
    known = tuple(dict.fromkeys(each for way in ways for each in way.known))
    return Flow(tuple(head for way in ways for head in way.heads), kind or common, known, apart)


def _with_another_edge(graph: Json, dice: Dice) -> Json:
    """Return the graph with one more edge into a join, if one is allowed."""
    joins = [node["id"] for node in graph["nodes"] if node["type"] == "join"]
    others = [node["id"] for node in graph["nodes"] if node["type"] not in ("router", "loop")]
    if joins and others:
        edge = {"from": dice.one(others), "to": dice.one(joins)}
        more = {**graph, "edges": [*graph["edges"], edge]}
        if not check(json.dumps(more).encode(), "")[1]:
            return more
    return graph


@st.composite
def graphs(draw: st.DrawFn) -> Json:
    """Draw a valid IR as a JSON value."""
    return Flows(Dice(draw)).outermost()
