"""What a graph means: this module runs it against a scenario, without an engine, and returns the expected trace.

``docs/ir.md`` says the same in words. A turn walks its graph in topological order and passes values along the edges.
``agents`` and ``loops`` define what agents and loops do with them.
"""

from __future__ import annotations

import copy
from typing import Any

from adk_probe.errors import InputError
from adk_probe.graph import guards, ir
from adk_probe.graph.flow import DICT, UNKNOWN
from adk_probe.graph.index import GraphIndex
from adk_probe.graph.ir import START, Graph, Node
from adk_probe.graph.query import guards_of, terminals, topological
from adk_probe.graph.reading.scenario import Scenario, Turn
from adk_probe.graph.reading.shape import show
from adk_probe.graph.reference.agent_call import AgentCall
from adk_probe.graph.reference.agents import Agents, body_result
from adk_probe.graph.reference.loops import run_loop
from adk_probe.graph.reference.running_bodies import BodyError, run_body, to_python
from adk_probe.graph.reference.session import FailedError, Session, TurnRecorder, taken
from adk_probe.graph.reference.trace import RunError, Step, Trace, TurnTrace
from adk_probe.graph.reference.world import World
from adk_probe.graph.values import MisfitError, arrive, render, stub


def play(graph: Graph, scenario: Scenario, world: World | None = None, *, asks: bool = True) -> Trace:
    """Run a graph against a scenario.

    Args:
        graph: a valid graph (``validate`` finds nothing).
        scenario: what models, people and the clock do.
        world: what the graph's tools act on, if its scenarios have one.
        asks: whether a person can be asked to confirm a tool's call; if not, such calls are refused.

    Returns:
        The trace of every turn. A failed run is part of the trace, and does not raise.

    Raises:
        InputError: the scenario does not fit the graph: an answer is missing, or a crash point is never reached.
    """
    index = GraphIndex(graph)
    if world is not None:
        world.reset(scenario.world)
    sessions: dict[str, Session] = {}
    turns = []
    for number, turn in enumerate(scenario.turns, start=1):
        session = sessions.get(turn.session)
        if session is None:
            roles = roles_of(graph) if turn.roles is None else turn.roles
            session = sessions[turn.session] = Session(turn.session, roles, turn.dry_run)
        session.turns += 1
        where = f"{scenario.name} turn {number}"
        turns.append(_Turn(index, turn, session, where, world, asks=asks).run())
    return Trace(turns=tuple(turns), world=None if world is None else world.snapshot())


def roles_of(graph: Graph) -> tuple[str, ...]:
    """Return the roles that the graph's guards need, sorted."""
    roles = {guards.needed(guard) for guard in guards_of(graph).values()}
    return tuple(sorted(role for role in roles if role is not None))


class _Turn:
    """One run of the outermost graph."""

    def __init__(
        self, index: GraphIndex, turn: Turn, session: Session, where: str, world: World | None, *, asks: bool
    ) -> None:
        self.index = index
        self.turn = turn
        self.session = session
        self.where = where
        self.world = world
        self.seen = TurnRecorder(turn)
        self.agents = Agents(index, turn, session, self.seen, where, world, asks=asks)

    def run(self) -> TurnTrace:
        output: Any = None
        error: RunError | None = None
        journalled = len(self.session.journal)
        try:
            output = self._graph(self.index.graph, "", self.turn.input)
        except FailedError as failed:
            error = failed.error
        seen = self.seen
        if self.turn.crash is not None and not seen.crashes:
            text = f"{self.where}: the crash after {self.turn.crash.after!a} is never reached"
            raise InputError(text, "Name a node, and for a loop's member a pass, that runs in this turn.")
        return TurnTrace(
            session=self.turn.session,
            number=self.session.turns,
            input=self.turn.input,
            steps=tuple(seen.steps),
            calls=tuple(seen.calls),
            tool_uses=tuple(seen.tool_uses),
            pauses=tuple(seen.pauses),
            crashes=tuple(seen.crashes),
            loops=tuple(seen.loops),
            output=output,
            error=error,
            state=dict(self.session.state),
            leftover=self.agents.leftover(),
            journal=tuple(self.session.journal[journalled:]),
        )

    def _graph(self, graph: Graph, path: str, value: Any) -> Any:
        """Run a graph on a value; return its terminal's output, or a dict by name if several terminals ran."""
        arrived: dict[str, dict[str, Any]] = {}
        outputs: dict[str, Any] = {}
        for edge in graph.edges:
            if edge.from_ == START:
                arrived.setdefault(edge.to, {})[START] = value
        for node in topological(graph):
            if node.id not in arrived:
                continue
            here = f"{path}/{node.name}" if path else node.name
            value = _gathered(graph, node, here, arrived[node.id])
            outputs[node.id], route = self._node(node, here, value)
            self.session.outputs[node.name] = outputs[node.id]
            for edge in graph.edges:
                if edge.from_ == node.id and edge.route == route:
                    arrived.setdefault(edge.to, {})[node.name] = outputs[node.id]
        ended = {node.name: outputs[node.id] for node in terminals(graph) if node.id in outputs}
        return next(iter(ended.values())) if len(ended) == 1 else ended

    def _node(self, node: Node, path: str, value: Any) -> tuple[Any, str | None]:
        """Run one node on its input; return its output, and a router's route."""
        route = None
        takes = output = value
        match node:
            case ir.AgentNode(config=config):
                takes = self.agents.request(config, path, value)
                ask = AgentCall(name=node.name, path=path, home=node.name, config=config, request=takes)
                output = self.agents.structured(ask)
            case ir.FunctionNode() | ir.ToolNode():
                takes = self._typed(node, path, node.config.input_type, value)
                output = self._step(node, path, takes)
            case ir.RouterNode():
                route = self._route(node, path, value)
            case ir.HumanInputNode():
                if node.config.payload_ref is not None:
                    takes = taken(value, node.config.payload_ref, self.index.schemas, path)
                output = self._human(node, path)
            case ir.LoopNode():
                takes, output = run_loop(self.agents, node, path, value)
            case ir.WorkflowNode():
                output = self._graph(node.config.graph, path, value)
            case ir.JoinNode():
                pass
        self.seen.step(Step(path=path, input=takes, output=output, route=route), node.name)
        return output, route

    def _typed(self, node: Node, path: str, kind: str, value: Any) -> Any:
        """Convert a value to a step's input type; a join's dict stays a dict if the type is a scalar."""
        types = self.index.types.get(node.name)
        if types is not None and types.arrives == DICT and kind in ir.SCALARS:
            return value
        return taken(value, kind, self.index.schemas, path)

    def _step(self, node: ir.FunctionNode | ir.ToolNode, path: str, value: Any) -> Any:
        guard = node.config.guard if isinstance(node, ir.ToolNode) else None
        tools = self.agents.tools
        if not isinstance(node, ir.ToolNode) or guard is None:
            return self._function(node, path, value)
        if not tools.permit(guard):
            text = f"{node.name} needs the role {guards.needed(guard)}"
            raise FailedError("TOOL_NOT_PERMITTED", path, text)
        if guard.destructive and self.session.dry_run:
            output = stub(node.config.output_type, self.index.schemas)
            tools.note_step(node, value, "planned", guards.planned(node.name))
            return output
        output = self._function(node, path, value)
        tools.note_step(node, value, "ran", output)
        return output

    def _function(self, node: ir.FunctionNode | ir.ToolNode, path: str, value: Any) -> Any:
        config = node.config
        if config.body is None:
            return stub(config.output_type, self.index.schemas)
        arguments = self._arguments(config.input_type, value)
        if isinstance(node, ir.FunctionNode) and node.config.sees_run:
            arguments["run"] = self._run_so_far(node)
        try:
            return body_result(config.body, arguments, config.output_type, self.index, self.world)
        except BodyError as error:
            raise FailedError("BODY_FAILED", path, f"the body of {node.name} failed: {error}") from None

    def _run_so_far(self, node: ir.FunctionNode) -> dict[str, Any]:
        """Return what a function sees of the run: how the loops before it ended, the journal, and the dry run."""
        state = self.session.state
        loops = {
            name: {key: state[f"{name}_{key}"] for key in ("status", "iterations", "feedback")}
            for name in self.index.loops_before(self.index.by_name[node.name][1], node)
            if f"{name}_status" in state
        }
        # a copy, so that a body cannot change the session
        return copy.deepcopy({"loops": loops, "journal": self.session.journal, "dry_run": self.session.dry_run})

    def _route(self, node: ir.RouterNode, path: str, value: Any) -> str:
        config = node.config
        if config.body is None:
            return config.routes[0]
        kind = config.input_type
        if kind is None:
            types = self.index.types.get(node.name)
            kind = types.arrives if types is not None else UNKNOWN
        else:
            value = self._typed(node, path, kind, value)
        try:
            label = run_body(config.body, self._arguments(kind, value), self.index.schemas, self.world)
        except BodyError as error:
            raise FailedError("BODY_FAILED", path, f"the body of {node.name} failed: {error}") from None
        if not isinstance(label, str) or label not in config.routes:
            text = f"the router {node.name} chose {show(label)}, which is not one of its routes"
            raise FailedError("ROUTER_BAD_ROUTE", path, text)
        return label

    def _arguments(self, kind: str, value: Any) -> dict[str, Any]:
        """Return ``node_input`` as a body sees it; a value without one type stays as it is in JSON."""
        typed = kind in self.index.schemas or (kind in ir.SCALARS and not isinstance(value, dict))
        return {"node_input": to_python(value, kind, self.index.schemas) if typed else value}

    def _human(self, node: ir.HumanInputNode, path: str) -> Any:
        answer = self.agents.canned("human", node.name)
        self.seen.pauses.append(path)
        kind = node.config.response_schema_ref
        if kind is None:
            return render(answer)
        try:
            return arrive(answer, kind, self.index.schemas)
        except MisfitError as misfit:
            text = f"the answer to {node.name} is not a {kind}: {misfit}"
            raise FailedError("HUMAN_BAD_ANSWER", path, text) from None


def _gathered(graph: Graph, node: Node, path: str, arrived: dict[str, Any]) -> Any:
    """Combine the values that arrived at a node; for a join, all of them, in the order of its edges."""
    if not isinstance(node, ir.JoinNode):
        if len(arrived) > 1:
            raise FailedError("NEEDS_JOIN", path, f"{len(arrived)} branches lead to {node.name} at once")
        return next(iter(arrived.values()))
    names = [source.name for edge in graph.edges if edge.to == node.id and (source := graph.node(edge.from_))]
    missing = sorted(set(names) - arrived.keys())
    if missing:
        raise FailedError("JOIN_INCOMPLETE", path, f"no value came from {missing[0]} to {node.name}")
    return {name: arrived[name] for name in names}
