"""Runs the graph, a turn of a session at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Callable, Optional

from loopgraph.bus.eventbus import EventBus
from loopgraph.concurrency import SemaphorePolicy
from loopgraph.registry.function_registry import FunctionRegistry
from loopgraph.scheduler.scheduler import Scheduler

from . import guarding, values
from .sessions import Session, SessionError

TURNS_OF_THE_LOOP = 100
"""How long branches beside a question may stand still before the run is stopped; nothing is lost if they do not."""


@dataclass(frozen=True)
class Question:
    """What a person is asked; ``node`` is the name under which the answer is given."""

    node: str
    message: str
    payload: Any


@dataclass(frozen=True)
class Reply:
    """What came of a turn: ``output`` when it is done, or questions to be answered first."""

    output: Any = None
    questions: tuple[Question, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the run has come to its end."""
        return not self.questions


class Run:
    """One turn's run, as its steps see it: the session's state, what is the turn's alone, and the model."""

    def __init__(self, session: Session, model: Any) -> None:
        self.model = model
        self._session = session
        self._data = session.data
        self.state: dict[str, Any] = session.data["state"]
        self.local: dict[str, Any] = session.data["local"]
        self.asking = asyncio.Event()
        self.still = asyncio.Event()
        self.tasks: set[Any] = set()
        self._working = 0

    async def do(self, step: Callable[..., Any], given: Any) -> Any:
        """Do a step."""
        own = asyncio.current_task()
        self.tasks.add(own)
        self._work(1)
        try:
            return await step(self, given)
        finally:
            self._work(-1)
            self.tasks.discard(own)

    def _work(self, change: int) -> None:
        self._working += change
        self.still.clear() if self._working else self.still.set()

    def keep(self, name: str, output: Any, kept: bool) -> Any:
        """Keep a step's output in state, where an instruction reads it later; return it."""
        if kept:
            self.state[f"{name}_output"] = output
        return output

    def say(self, text: str) -> None:
        """Show something to the user."""
        self._data["said"].append(text)

    def note(
        self,
        agent: Optional[str],
        number: Optional[int],
        tool: str,
        arguments: dict[str, Any],
        decision: str,
        result: Any,
    ) -> None:
        """Add to the session's journal; see ``guarding.note``.

        It is saved at once: what a tool has done stays done if the process dies before the step's end.
        """
        guarding.note(self.state, self._session.name, agent, number, tool, arguments, decision, result)
        self._session.write()

    async def answered(self, name: str, message: str, payload: Any) -> Any:
        """The answer to a question; without one the run gets no further here, and is stopped."""
        if name in self._data["answers"]:
            return self._data["answers"][name]
        self._data["questions"][name] = {"message": message, "payload": payload}
        self._work(-1)
        self.asking.set()
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            self._work(1)


@dataclass
class Conversation:
    """The graph, with its sessions in a folder and a model that answers.

    Attributes:
        graph: the engine's graph.
        handlers: of its nodes, by name.
        ends: names of its last steps.
        folder: of the sessions' files.
        model: see ``models.Model``.
    """

    graph: Any
    handlers: dict[str, Callable[..., Any]]
    ends: tuple[str, ...]
    folder: Path
    model: Any
    _busy: set[str] = field(default_factory=set)

    async def turn(
        self, session: str, text: str, roles: Optional[list[str]] = None, *, dry_run: Optional[bool] = None
    ) -> Reply:
        """Begin a turn with the user's words.

        Args:
            session: whose turn it is; it is made if it is not there.
            text: what the user says.
            roles: which roles the user has, for this turn and later ones; None leaves them as they are.
            dry_run: whether destructive tools are only planned, likewise.

        Raises:
            StepError: a step failed.
        """
        opened = self._open(session)
        if roles is not None:
            opened.data["state"][guarding.ROLES_KEY] = list(roles)
        if dry_run is not None:
            opened.data["state"][guarding.DRY_RUN_KEY] = dry_run
        opened.begin(text)
        return await self._run(opened)

    async def answer(self, session: str, answers: dict[str, Any]) -> Reply:
        """Go on with a run that asked something; ``answers`` are by the questions' ``node``."""
        opened = self._open(session)
        if opened.data["status"] != "asking":
            raise SessionError(f"session {session!r} asks nothing; it is {opened.data['status']}")
        unknown = sorted(answers.keys() - opened.data["questions"].keys())
        if unknown:
            raise SessionError(f"session {session!r} does not ask {unknown[0]!r}")
        opened.data["answers"].update(answers)
        opened.data["questions"] = {}
        opened.end("running")
        return await self._run(opened)

    async def resume(self, session: str) -> Reply:
        """Go on with a run whose process died."""
        opened = self._open(session)
        if opened.data["status"] != "running":
            # the engine would go on silently where a node has failed, and leave out what depends on it
            raise SessionError(f"session {session!r} has no run to go on with; it is {opened.data['status']}")
        return await self._run(opened)

    def state(self, session: str) -> dict[str, Any]:
        """The session's state."""
        return dict(self._open(session).data["state"])

    def _open(self, session: str) -> Session:
        if session in self._busy:
            raise SessionError(f"session {session!r} is in the middle of a run")
        return Session(self.folder, session)

    async def _run(self, session: Session) -> Reply:
        self._busy.add(session.name)
        try:
            results = await self._results(session)
        except values.StepError as error:
            session.end("failed", error={"code": error.code, "step": error.step, "message": str(error)})
            raise
        except Exception as error:
            session.end("failed", error={"code": type(error).__name__, "step": "", "message": str(error)})
            raise
        finally:
            self._busy.discard(session.name)
        said = tuple(session.data["said"])
        if results is None:
            asked = session.data["questions"].items()
            session.end("asking")
            return Reply(questions=tuple(Question(node, **about) for node, about in asked), said=said)
        ended = {name: results[name] for name in self.ends if name in results}
        output = next(iter(ended.values())) if len(ended) == 1 else ended
        session.end("done", output=output)
        return Reply(output=output, said=said)

    async def _results(self, session: Session) -> Optional[dict[str, Any]]:
        """Run the graph as far as it goes; its results by node, or None if it stopped to ask."""
        run = Run(session, self.model)
        registry = FunctionRegistry()
        for name, step in self.handlers.items():
            registry.register(name, partial(run.do, step))
        # nobody listens on the bus: somebody who does lets others run between a step and its snapshot
        policy = SemaphorePolicy(limit=len(self.graph.nodes))
        scheduler = Scheduler(registry, EventBus(), policy, snapshot_store=session)
        # an id for each turn: the engine takes an id that it has a snapshot of for a run to go on with
        graph_id = f"turn-{session.data['turn']}"
        going = scheduler.run(self.graph, graph_id=graph_id, initial_payload=session.data["request"])
        task, asking = asyncio.ensure_future(going), asyncio.ensure_future(run.asking.wait())
        try:
            await asyncio.wait({task, asking}, return_when=asyncio.FIRST_COMPLETED)
            still = 0
            while not task.done() and still < TURNS_OF_THE_LOOP:
                if run.still.is_set():
                    still += 1
                    await asyncio.sleep(0)
                else:
                    still = 0
                    await run.still.wait()
            return task.result() if task.done() else None
        finally:
            # a node that is cancelled stays open in the snapshot, and is run again when the run goes on; the engine
            # itself stops nodes only where a graph has another one inside of it
            left = {task, asking, *run.tasks}
            for each in (task, asking, *run.tasks):
                each.cancel()
            await asyncio.wait(left)
