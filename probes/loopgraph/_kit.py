"""What the loopgraph probes share: a short notation for graphs, and a bench that runs them and records what happens.

Only functions import the engine, so that each probe decides when. Where releases differ, the code here checks what
exists and never compares versions.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import sys
from pathlib import Path
from typing import Any, Callable, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from probekit import OUT_VARIABLE, Absent, Claim, Refuted, run, steady

# The folder of these probes has the engine's name, so take it off the path before an import can find it.
sys.path.pop(0)

__all__ = [
    "OUT_VARIABLE",
    "Absent",
    "Bench",
    "Claim",
    "JsonStore",
    "Refuted",
    "accepts",
    "aggregate",
    "graph",
    "loop",
    "node",
    "play",
    "run",
    "said",
    "steady",
    "subgraph",
    "switch",
    "terminal",
    "wait",
]

# Without a handler, Python prints the warnings and errors of every logger to stderr.
logging.getLogger().addHandler(logging.NullHandler())

CALL_BOUND = 5000


# --- graphs --------------------------------------------------------------------------------------------


def node(name: str, kind: str = "TASK", handler: Optional[str] = None, **fields: Any) -> Any:
    """Return a node. By default, its handler has the node's name."""
    from loopgraph.core.graph import Node
    from loopgraph.core.types import NodeKind

    if not hasattr(NodeKind, kind):
        raise Absent(f"this release has no NodeKind.{kind}")
    return Node(id=name, kind=getattr(NodeKind, kind), handler=name if handler is None else handler, **fields)


def switch(name: str, **fields: Any) -> Any:
    """Return a node whose handler returns the route to take."""
    return node(name, "SWITCH", **fields)


def aggregate(name: str, required: Optional[int] = None, **fields: Any) -> Any:
    """Return a node that receives the results of several nodes: of all, or of as many as ``required`` says."""
    return node(name, "AGGREGATE", config={} if required is None else {"required": required}, **fields)


def terminal(name: str, **fields: Any) -> Any:
    """Return the node that ends a child graph."""
    return node(name, "TERMINAL", **fields)


def subgraph(name: str, child: Any, **fields: Any) -> Any:
    """Return a node that runs a child graph. Raises Absent if the release has no such nodes."""
    body = child if isinstance(child, dict) else child.to_dict()
    return node(name, "SUBGRAPH", handler="", config={"graph": body}, **fields)


def graph(edges: str, *nodes: Any, **fields: Any) -> Any:
    """Return a graph. The edges are words such as ``a>b`` and, if a switch leads to b, ``a>b:route``.

    Nodes that only an edge names are tasks. The given nodes come first; the others follow in the order of the edges.
    """
    from loopgraph.core.graph import Edge, Graph

    known = {item.id: item for item in nodes}
    made = {}
    for number, word in enumerate(edges.split(), 1):
        ends, _, route = word.partition(":")
        source, target = ends.split(">")
        for name in (source, target):
            known.setdefault(name, node(name))
        key = f"e{number}"
        made[key] = Edge(id=key, source=source, target=target, metadata={"route": route} if route else {})
    return Graph(nodes=known, edges=made, **fields)


def loop(exit_route: str = "done", **fields: Any) -> Any:
    """Return the loop: start, then gen and route, until route leads to out. The fields are those of gen.

    gen needs ``allow_partial_upstream`` to start before its back edge has fired.
    """
    return graph(
        f"start>gen gen>route route>gen:again route>out:{exit_route}",
        node("start"),
        node("gen", allow_partial_upstream=True, **fields),
        switch("route"),
        node("out"),
    )


def accepts(function: Any, parameter: str) -> bool:
    """Return whether a callable of the engine has a parameter of that name."""
    return parameter in inspect.signature(function).parameters


# --- running -------------------------------------------------------------------------------------------


class JsonStore:
    """A snapshot store that keeps JSON text, as a file would: the latest by graph id, and everything that was saved."""

    def __init__(self, texts: Optional[dict] = None) -> None:
        self.texts = dict(texts or {})
        self.saved: list[tuple[str, str]] = []

    def save(self, graph_id: str, snapshot: Any) -> None:
        self.texts[graph_id] = json.dumps(snapshot)
        self.saved.append((graph_id, self.texts[graph_id]))

    def load(self, graph_id: str) -> Any:
        if graph_id not in self.texts:
            raise KeyError(graph_id)
        return json.loads(self.texts[graph_id])

    def copy(self) -> JsonStore:
        """Return a store with the same content as this one has now, which is what a crash leaves behind."""
        return JsonStore(self.texts)


class Bench:
    """One scheduler with its handlers. It records every handler call and, if it listens, every event.

    A node without a handler of its own answers with its name. A listener gives the event loop a turn at every event, so
    listening can be turned off.
    """

    def __init__(
        self, capacity: int = 1, store: Any = None, log: Any = None, listening: bool = True, **handlers: Any
    ) -> None:
        from loopgraph.bus.eventbus import EventBus
        from loopgraph.concurrency import SemaphorePolicy
        from loopgraph.registry.function_registry import FunctionRegistry
        from loopgraph.scheduler.scheduler import Scheduler

        self.calls: list[tuple[str, Any]] = []
        self.events: list[Any] = []
        self.handlers = handlers
        self.registry = FunctionRegistry()
        self.bus = EventBus()
        if listening:
            self.bus.subscribe(None, self._hear)
        policy = SemaphorePolicy(limit=capacity)
        self.scheduler = Scheduler(self.registry, self.bus, policy, snapshot_store=store, event_log=log)

    async def _hear(self, event: Any) -> None:
        self.events.append(event)

    def _handler(self, name: str) -> Callable[[Any], Any]:
        given = self.handlers.get(name)

        def called(payload: Any) -> Any:
            self.calls.append((name, payload))
            if len(self.calls) > CALL_BOUND:
                raise Refuted(f"handlers were called more than {CALL_BOUND} times")
            return name if given is None else given(payload)

        return called

    def _register(self, wf: Any) -> None:
        """Register a handler for every node, including those of child graphs."""
        rows = [(item.handler, item.config) for item in wf.nodes.values()]
        seen = set()
        while rows:
            name, config = rows.pop()
            if name:
                self.registry.register(name, self._handler(name))
            body = config.get("graph")
            if isinstance(body, dict) and id(body) not in seen:
                seen.add(id(body))
                rows.extend((inner.get("handler", ""), inner.get("config", {})) for inner in body["nodes"])

    async def run(self, wf: Any, payload: Any = None, graph_id: str = "g") -> Any:
        """Run a graph to its end, and return the results by node."""
        self._register(wf)
        return await self.scheduler.run(wf, graph_id=graph_id, initial_payload=payload)

    async def tried(self, wf: Any, payload: Any = None, graph_id: str = "g") -> tuple[Any, Optional[Exception]]:
        """Run a graph, and return its results or None, and the exception that ended the run or None."""
        try:
            return await self.run(wf, payload, graph_id), None
        except Refuted:
            raise
        except Exception as error:
            return None, error

    async def crash(self, wf: Any, reached: asyncio.Event, store: JsonStore, graph_id: str = "g") -> JsonStore:
        """Run a graph until the event is set, return what its store holds at that point, and cancel the run."""
        task = asyncio.ensure_future(self.run(wf, graph_id=graph_id))
        signal = asyncio.ensure_future(reached.wait())
        await asyncio.wait({task, signal}, return_when=asyncio.FIRST_COMPLETED)
        left = store.copy()
        signal.cancel()
        if task.done():
            await task
            raise Refuted("the run ended before it could be stopped")
        task.cancel()
        await asyncio.wait({task})
        return left

    @property
    def order(self) -> list[str]:
        """The names of the handlers, in the order of their calls."""
        return [name for name, _ in self.calls]

    def given(self, name: str) -> list[Any]:
        """Return the payload of each call of a handler."""
        return [payload for called, payload in self.calls if called == name]


def play(scene: Any, seconds: float = 15) -> Any:
    """Run a coroutine to its end. If it takes longer than the given seconds, the claim is refuted."""

    async def bounded() -> Any:
        return await asyncio.wait_for(scene, seconds)

    try:
        return asyncio.run(bounded())
    except asyncio.TimeoutError as error:
        raise Refuted(f"the run did not end within {seconds} s") from error


async def wait(event: asyncio.Event, seconds: float = 1) -> bool:
    """Wait for an event, for a limited time, and return whether it came."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except asyncio.TimeoutError:
        return False
    return True


def said(error: Optional[BaseException]) -> str:
    """Describe how a run ended: the exception, or that there was none."""
    return "ended without an error" if error is None else f"raised {type(error).__name__}: {steady(str(error))}"
