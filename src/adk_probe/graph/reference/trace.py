"""Traces: what a run of a graph must show, and the form in which two traces are compared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import Struct

from adk_probe.graph import ir
from adk_probe.graph.index import GraphIndex
from adk_probe.graph.ir import Graph
from adk_probe.graph.query import topological

End = Literal["approved", "exhausted", "timed_out"]


class _Part(Struct, frozen=True, kw_only=True, rename={"pass_": "pass"}):
    """Something that a node did. ``path`` is its place (for a member, below its loop); ``pass`` counts from 1."""

    path: str
    pass_: int | None = None


class Step(_Part, frozen=True, kw_only=True):
    """A node, or a member of a loop in one pass, that is done: its input, its output, and a router's route."""

    input: Any
    output: Any
    route: str | None = None


class Call(_Part, frozen=True, kw_only=True):
    """One call of a model.

    Attributes:
        agent: the agent's name.
        instruction: its text, with the variables filled in.
        request: the agent's input; for a member of a loop, the loop's request x.
        draft: the draft that a member of a loop sees; None if it sees none.
        feedback: the feedback that a member of a loop sees; None if it sees none.
        tool_results: results of the tools that the agent called earlier in the same run of the agent, in order.
        answer: the model's text; None if it called a tool or its answer came too late.
        tool: the tool that the model called instead (several names are joined by commas), or None.
    """

    agent: str
    instruction: str
    request: Any
    draft: Any = None
    feedback: str | None = None
    tool_results: tuple[Any, ...] = ()
    answer: str | None = None
    tool: str | None = None


class ToolUse(_Part, frozen=True, kw_only=True):
    """An agent's call of a tool that ran to its end."""

    agent: str
    tool: str
    args: dict[str, Any]
    result: Any


class LoopEnd(_Part, frozen=True, kw_only=True):
    """How a loop ended, the number of passes begun, and the last feedback."""

    end: End
    passes: int
    feedback: str


class RunError(_Part, frozen=True, kw_only=True):
    """Why a run failed: a stable code, and the node that failed."""

    code: str
    message: str


class TurnTrace(Struct, frozen=True, kw_only=True):
    """Everything that one turn showed.

    Attributes:
        number: the turn's number in its session, from 1.
        pauses: paths of the nodes at which the run paused.
        crashes: paths of the steps after which the process died.
        output: the final output; None if the run failed.
        state: the loops' keys in session state after the turn.
        journal: what this turn added to the session's journal.
        leftover: number of surplus answers, by agent; not compared.
    """

    session: str
    number: int
    input: str
    steps: tuple[Step, ...]
    calls: tuple[Call, ...]
    tool_uses: tuple[ToolUse, ...]
    pauses: tuple[str, ...]
    crashes: tuple[str, ...]
    loops: tuple[LoopEnd, ...]
    output: Any
    error: RunError | None
    state: dict[str, Any]
    leftover: dict[str, int]
    journal: tuple[dict[str, Any], ...] = ()


class Trace(Struct, frozen=True, kw_only=True):
    """The turns of a scenario, in its order, and the state of the world after the last one."""

    turns: tuple[TurnTrace, ...]
    world: Any = None


def canonical(trace: Trace, graph: Graph) -> dict[str, Any]:
    """Return the trace as JSON values, in the form in which traces are compared.

    Branches may run in any order. Therefore everything is sorted by the place of its node in the graph (topological
    order, ties in file order, the content of a node before the node), and then by pass. Of a failed turn, only what
    happened at the failing node and before it is kept, without message, output and state. The numbers of pauses and
    crashes are left out too, because they must make no difference.
    """
    order = _Order(graph)
    return {"turns": [_turn(turn, order) for turn in trace.turns]}


def order_faults(steps: tuple[Step, ...], graph: Graph) -> list[str]:
    """Return what is wrong with the order of observed steps: each step that comes before one that it depends on."""
    order = _Order(graph)
    faults = []
    for index, later in enumerate(steps):
        faults += [
            f"{earlier.path} came after {later.path}" for earlier in steps[index + 1 :] if order.before(earlier, later)
        ]
    return faults


def _turn(turn: TurnTrace, order: _Order) -> dict[str, Any]:
    def kept(parts: tuple[Any, ...]) -> list[Any]:
        chosen = [part for part in parts if turn.error is None or order.concerns(part.path, turn.error.path)]
        return [_plain(part) for part in sorted(chosen, key=order.key)]

    calls = kept(turn.calls)
    counts: dict[str, int] = {}
    for call in calls:
        counts[call["agent"]] = counts.get(call["agent"], 0) + 1
    error = turn.error
    return {
        "session": turn.session,
        "turn": turn.number,
        "input": turn.input,
        "steps": kept(turn.steps),
        "calls": calls,
        "callsPerAgent": dict(sorted(counts.items())),
        "toolUses": kept(turn.tool_uses),
        "loops": kept(turn.loops),
        "output": turn.output if error is None else None,
        "error": {"code": error.code, "path": error.path} if error else None,
        "state": dict(sorted(turn.state.items())) if error is None else {},
        "journal": list(turn.journal) if error is None else [],
    }


def _plain(part: Any) -> Any:
    """Convert a part to JSON values, with lists instead of tuples."""
    return json.loads(json.dumps(msgspec.to_builtins(part)))


class _Order:
    """The places of nodes in a graph."""

    def __init__(self, graph: Graph) -> None:
        self.index = GraphIndex(graph)
        self.entries = {path: (home, node) for path, home, node in self.index.nodes}
        self.rank = {path: index for index, path in enumerate(_ranked(graph, ""))}

    def key(self, part: Any) -> tuple[int, float, int]:
        """Return the sort key of a part of a trace. Parts with equal keys keep their order."""
        member = self._member(part.path)
        place = self.rank.get(part.path.rpartition("/")[0] if member else part.path, len(self.rank))
        passes = float("inf") if part.pass_ is None else float(part.pass_)
        return place, passes, int(member == "critic")

    def concerns(self, path: str, failed: str) -> bool:
        """Whether what happened at ``path`` had to happen before the node at ``failed`` could fail."""
        here, there = self._owner(path), self._owner(failed)
        if here == there or here not in self.entries or there not in self.entries:
            return here == there
        home, node = self.entries[there]
        return self.index.is_ancestor(self.entries[here][1], home, node)

    def before(self, first: Step, second: Step) -> bool:
        """Whether the first step must be done before the second."""
        here, there = self._owner(first.path), self._owner(second.path)
        if here == there:
            return self.key(first) < self.key(second)
        return there.startswith(f"{here}/") is False and (here.startswith(f"{there}/") or self.concerns(here, there))

    def _owner(self, path: str) -> str:
        return path.rpartition("/")[0] if self._member(path) else path

    def _member(self, path: str) -> str | None:
        """Return the role if the path is that of a loop's member, else None."""
        loop, _, name = path.rpartition("/")
        entry = self.entries.get(loop)
        if entry is None or not isinstance(entry[1], ir.LoopNode):
            return None
        return name.removeprefix(f"{entry[1].name}_")


def _ranked(graph: Graph, path: str) -> Iterator[str]:
    for node in topological(graph):
        here = f"{path}/{node.name}" if path else node.name
        if isinstance(node, ir.WorkflowNode):
            yield from _ranked(node.config.graph, here)
        yield here
