"""Plays a scenario's turns on a generated project and records what happens."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import sys
import types as python_types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from probekit import Absent
from seeing import CURRENT, Sight, journalled, listen, listen_inside, stub_models

# the engine allows fewer characters in an app's name than a graph's name may have
APP = "app"


class Crashed(Exception):
    """The scenario lets the process die here."""


class Player:
    """Plays one scenario.

    Args:
        project: the generated project's folder.
        job: the job to play.
        store: a folder for stored sessions.
    """

    sight = Sight

    def __init__(self, project: Path, job: dict[str, Any], store: Path) -> None:
        self.project = project
        self.job = job
        self.store = store
        self.turns = job["scenario"]["turns"]
        self.stored = any(turn.get("crash") or turn.get("restart") for turn in self.turns)
        self.runner: Any = None
        self.service: Any = None
        self.numbers: dict[str, int] = {}

    async def scenario(self) -> list[dict[str, Any]]:
        """Play every turn, and return what was observed, in the scenario's order."""
        listen()
        stub_models()
        listen_inside()
        self.start()
        seen: dict[int, dict[str, Any]] = {}
        groups: dict[str, list[int]] = {}
        for index, turn in enumerate(self.turns):
            groups.setdefault(turn["session"], []).append(index)
        for session in groups:
            state = host_state(self.turns[groups[session][0]], self.job)
            # each session has a user of its own, so that the state of one user does not reach another session
            made = self.service.create_session(app_name=APP, user_id=session, session_id=session, state=state)
            await made if inspect.isawaitable(made) else made

        async def play(indices: list[int]) -> None:
            for index in indices:
                seen[index] = await self.turn(self.turns[index])

        if self.job["scenario"].get("atOnce"):
            await asyncio.gather(*(play(indices) for indices in groups.values()))
        else:
            await play(list(range(len(self.turns))))
        return [seen[index] for index in range(len(self.turns))]

    def asks(self) -> bool:
        """Whether the project asks a person to confirm a tool's call, on this engine."""
        tools = importlib.import_module(f"{self.project.name}.tools")
        guards = [item for item in vars(tools).values() if type(item).__name__ == "Guard"]
        resumable = getattr(self.runner, "resumability_config", None)
        return bool(guards[0].asks(SimpleNamespace(is_resumable=bool(resumable and resumable.is_resumable))))

    # ------------------------------------------------------------------ the process

    def start(self) -> None:
        """Load the project again, as a new process would. Stored sessions stay."""
        name = self.project.name
        for module in [item for item in sys.modules if item == name or item.startswith(f"{name}.")]:
            del sys.modules[module]
        sys.path.insert(0, str(self.project.parent))
        try:
            agent = importlib.import_module(f"{name}.agent")
        finally:
            sys.path.remove(str(self.project.parent))
        if self.service is None or self.stored:
            self.service = self._service()
        self.runner = self._runner(agent)
        self.runner._outermost = True

    def _service(self) -> Any:
        if not self.stored:
            from google.adk.sessions import InMemorySessionService

            return InMemorySessionService()
        path = self.store / "sessions.db"
        with contextlib.suppress(ImportError):
            from google.adk.sessions.sqlite_session_service import SqliteSessionService

            return SqliteSessionService(str(path))
        try:
            from google.adk.sessions import DatabaseSessionService

            return DatabaseSessionService(f"sqlite:///{path}")
        except ImportError as error:
            raise Absent(f"the engine has no SQLite session service: {error}") from error

    def _runner(self, agent: Any) -> Any:
        from google.adk.runners import Runner

        common = {"session_service": self.service}
        if not any(turn.get("crash") for turn in self.turns):
            app = getattr(agent, "app", None)  # a project that defines an app must run with it
            if app is not None:
                return Runner(app=app.model_copy(update={"name": APP}), **common)
            return Runner(agent=agent.root_agent, app_name=APP, **common)
        try:
            from google.adk.apps.app import App, ResumabilityConfig
        except ImportError as error:
            raise Absent(f"the engine does not promise resumption: {error}") from error
        app = App(name=APP, root_agent=agent.root_agent, resumability_config=ResumabilityConfig(is_resumable=True))
        return Runner(app=app, **common)

    # ------------------------------------------------------------------ a turn

    async def turn(self, turn: dict[str, Any]) -> dict[str, Any]:
        """Play one turn, with all its pauses and crashes, and return what was observed."""
        from google.genai import types

        session = turn["session"]
        self.numbers[session] = self.numbers.get(session, 0) + 1
        sight = self.sight(self.job, turn, journalled(await self._state(session)))
        token = CURRENT.set(sight)
        message: Any = types.Content(role="user", parts=[types.Part(text=turn["input"])])
        more: dict[str, Any] = {}
        try:
            with imported_tools(self.job, sight):
                while True:
                    try:
                        asked = await self._run(sight, session, message, **more)
                    except Crashed:
                        self.start()
                        message, more = None, {"invocation_id": sight.invocation}
                        self._promised()
                        continue
                    if not asked:
                        break
                    message, more = self._reply(sight, asked), {}
                    if turn.get("restart"):
                        self.start()
        except Absent:
            raise
        except Exception as error:
            sight.failed(error)
        finally:
            CURRENT.reset(token)
        return sight.done(await self._state(session))

    def _promised(self) -> None:
        """Raise Absent unless the engine promises to resume a run that crashed."""
        root = self.runner.agent
        parameters = inspect.signature(self.runner.run_async).parameters
        if "invocation_id" not in parameters:
            raise Absent("the engine does not promise resumption: run_async has no parameter invocation_id")
        if any(kind.__name__ == "BaseAgent" for kind in type(root).__mro__):
            return
        inner = inspect.signature(self.runner._run_node_async).parameters
        if "invocation_id" not in inner:
            raise Absent("the engine does not promise resumption of a workflow: its runner drops invocation_id")

    async def _run(self, sight: Sight, session: str, message: Any, **more: Any) -> list[Any]:
        """Run until the engine yields no more events, and return the questions that it asked."""
        asked: list[Any] = []
        events = self.runner.run_async(user_id=session, session_id=session, new_message=message, **more)
        try:
            async for event in events:
                asked += sight.event(event)
                if sight.crashing():
                    raise Crashed
        finally:
            with contextlib.suppress(BaseException):  # ParallelAgent raises a group around GeneratorExit
                await events.aclose()
        return asked

    def _reply(self, sight: Sight, asked: list[Any]) -> Any:
        from google.genai import types

        parts = []
        for call in asked:
            response = sight.answer(call)
            made = types.FunctionResponse(id=call.id, name=call.name, response=response)
            parts.append(types.Part(function_response=made))
        return types.Content(role="user", parts=parts)

    async def _state(self, session: str) -> dict[str, Any]:
        found = self.service.get_session(app_name=APP, user_id=session, session_id=session)
        found = await found if inspect.isawaitable(found) else found
        return dict(found.state)


def host_state(turn: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Return the state that the scenario's host puts into a new session: the user's roles, and the dry run."""
    roles = turn.get("roles")
    roles = job["roles"] if roles is None else roles
    state: dict[str, Any] = {"user:roles": roles} if roles else {}
    return {**state, "guard:dry_run": True} if turn.get("dryRun") else state


@contextlib.contextmanager
def imported_tools(job: dict[str, Any], sight: Sight) -> Any:
    """Replace the functions that the project's tools import by ones that return the scenario's results."""
    replaced = []
    for name, about in job["tools"].items():
        if about["import"] and name in sight.turn.get("tools", {}):
            module_name, _, function = about["import"].partition(":")
            try:
                module = importlib.import_module(module_name)
            except ImportError:
                module = python_types.ModuleType(module_name)
                sys.modules[module_name] = module
            replaced.append((module, function, getattr(module, function, None)))
            setattr(module, function, _canned(name))
    try:
        yield
    finally:
        for module, function, before in replaced:
            setattr(module, function, before)


def _canned(name: str) -> Any:
    def call(*_arguments: Any, **_named: Any) -> Any:
        return CURRENT.get().canned("tools", name)

    return call
