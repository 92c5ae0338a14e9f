"""What the loopgraph probes share: graphs in short, and a bench that runs them and records what happened.

The engine is imported inside functions only, so that a probe decides when it is imported. Where releases
differ in what they have, that is felt for here, by looking, never by comparing versions.
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

from counting import Calls, undisturbed
from probekit import OUT_VARIABLE, Absent, Claim, Refuted, run, steady
from waiting import play, turns, until

# The folder that these probes are in has the engine's name: off the path again, so that no import finds it.
sys.path.pop(0)

__all__ = [
    "OUT_VARIABLE",
    "Absent",
    "Bench",
    "Calls",
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
    "turns",
    "undisturbed",
    "until",
]

# Without a handler Python prints warnings and errors of any logger to stderr.
logging.getLogger().addHandler(logging.NullHandler())

CALL_BOUND = 5000


# --- graphs --------------------------------------------------------------------------------------------


def node(name: str, kind: str = "TASK", handler: Optional[str] = None, **fields: Any) -> Any:
    """Return a node whose handler has its name."""
    from loopgraph.core.graph import Node
    from loopgraph.core.types import NodeKind

    if not hasattr(NodeKind, kind):
        raise Absent(f"this release has no NodeKind.{kind}")
    return Node(id=name, kind=getattr(NodeKind, kind), handler=name if handler is None else handler, **fields)


def switch(name: str, **fields: Any) -> Any:
    """Return a node whose handler names the route to take."""
    return node(name, "SWITCH", **fields)


def aggregate(name: str, required: Optional[int] = None, **fields: Any) -> Any:
    """Return a node that gets the results of several nodes, of all of them unless it says how many."""
    return node(name, "AGGREGATE", config={} if required is None else {"required": required}, **fields)


def terminal(name: str, **fields: Any) -> Any:
    """Return the node that ends a child graph."""
    return node(name, "TERMINAL", **fields)


def subgraph(name: str, child: Any, **fields: Any) -> Any:
    """Return a node that runs a child graph; Absent where the release has no such nodes."""
    body = child if isinstance(child, dict) else child.to_dict()
    return node(name, "SUBGRAPH", handler="", config={"graph": body}, **fields)


def graph(edges: str, *nodes: Any, **fields: Any) -> Any:
    """Return a graph; the edges are words like ``a>b`` and, out of a switch, ``a>b:route``.

    Nodes that are only named by an edge are tasks; all are defined in the order given, then named.
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
    """Return the loop: start, then gen and route until route leaves to out. The fields are gen's.

    gen may start before its back edge has fired only with ``allow_partial_upstream``.
    """
    return graph(
        f"start>gen gen>route route>gen:again route>out:{exit_route}",
        node("start"),
        node("gen", allow_partial_upstream=True, **fields),
        switch("route"),
        node("out"),
    )


def accepts(function: Any, parameter: str) -> bool:
    """Tell whether a callable of the engine has a parameter of that name."""
    return parameter in inspect.signature(function).parameters


# --- running -------------------------------------------------------------------------------------------


class JsonStore:
    """A snapshot store that keeps what a file would: JSON text, the latest by graph id, and all that was saved."""

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
        """Return a store that holds what this one holds now: what a crash leaves behind."""
        return JsonStore(self.texts)


class Bench:
    """One scheduler with its handlers; records every call of a handler and, where it listens, every event.

    A node without a handler of its own answers with its name. Somebody who listens gives the event loop a turn at
    every event, which is why a bench can do without. ``manager`` takes the place of a semaphore of that capacity,
    ``options`` are more arguments of the scheduler's, ``on_error`` is the bus's.
    """

    def __init__(
        self,
        capacity: int = 1,
        store: Any = None,
        log: Any = None,
        listening: bool = True,
        manager: Any = None,
        options: Optional[dict] = None,
        on_error: Any = None,
        **handlers: Any,
    ) -> None:
        from loopgraph.bus.eventbus import EventBus
        from loopgraph.concurrency import SemaphorePolicy
        from loopgraph.registry.function_registry import FunctionRegistry
        from loopgraph.scheduler.scheduler import Scheduler

        self.calls: list[tuple[str, Any]] = []
        self.events: list[Any] = []
        self.handlers = handlers
        self.registry = FunctionRegistry()
        self.bus = EventBus(on_error=on_error) if on_error else EventBus()
        if listening:
            self.bus.subscribe(None, self._hear)
        policy = manager or SemaphorePolicy(limit=capacity)
        fields = {"snapshot_store": store, "event_log": log, **(options or {})}
        self.scheduler = Scheduler(self.registry, self.bus, policy, **fields)

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
        """Register a handler for every node, those of child graphs included."""
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
        """Run a graph to its end; return the results by node."""
        self._register(wf)
        return await self.scheduler.run(wf, graph_id=graph_id, initial_payload=payload)

    async def tried(self, wf: Any, payload: Any = None, graph_id: str = "g") -> tuple[Any, Optional[Exception]]:
        """Run a graph; return the results, or None, and the exception by which the run ended, or None."""
        try:
            return await self.run(wf, payload, graph_id), None
        except Refuted:
            raise
        except Exception as error:
            return None, error

    async def crash(self, wf: Any, reached: asyncio.Event, store: JsonStore, graph_id: str = "g") -> JsonStore:
        """Run a graph until the event is set; return what its store holds then. The run is cancelled after that."""
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
        """The names of the handlers in the order of their calls."""
        return [name for name, _ in self.calls]

    def given(self, name: str) -> list[Any]:
        """Return the payloads that a handler received, call by call."""
        return [payload for called, payload in self.calls if called == name]


def said(error: Optional[BaseException]) -> str:
    """Return how a run ended, in words: the exception, or that there was none."""
    return "ended without an error" if error is None else f"raised {type(error).__name__}: {steady(str(error))}"
