"""Plays a scenario's turns on a generated LoopGraph project and records what happens."""

from __future__ import annotations

import asyncio
import importlib
import shutil
import sys
from pathlib import Path
from typing import Any, Optional

from looking import LoopGraphSight, StubModel
from playing import imported_tools
from probekit import Absent
from seeing import CURRENT, journalled, listen


class Player:
    """Plays one scenario.

    Args:
        project: the generated project's folder.
        job: the job to play.
        store: a folder for stored sessions.
    """

    sight = LoopGraphSight

    def __init__(self, project: Path, job: dict[str, Any], store: Path) -> None:
        self.project = project
        self.job = job
        self.sessions = store / "sessions"
        self.left = store / "left"
        self.turns = job["scenario"]["turns"]
        self.agent: Any = None

    async def scenario(self) -> list[dict[str, Any]]:
        """Play every turn, and return what was observed, in the scenario's order."""
        if any(about["type"] == "workflow" for about in self.job["nodes"].values()):
            from loopgraph.core.types import NodeKind

            if not hasattr(NodeKind, "SUBGRAPH"):
                raise Absent("the engine has no NodeKind.SUBGRAPH, and the graph contains a nested graph")
        listen()
        self.start()
        seen: dict[int, dict[str, Any]] = {}
        groups: dict[str, list[int]] = {}
        for index, turn in enumerate(self.turns):
            groups.setdefault(turn["session"], []).append(index)

        async def play(indices: list[int]) -> None:
            for index in indices:
                seen[index] = await self.turn(self.turns[index])

        if self.job["scenario"].get("atOnce"):
            await asyncio.gather(*(play(indices) for indices in groups.values()))
        else:
            await play(list(range(len(self.turns))))
        return [seen[index] for index in range(len(self.turns))]

    def asks(self) -> bool:
        """Whether the project asks a person to confirm a tool's call, which this engine does not support."""
        return False

    def start(self) -> None:
        """Load the project again, as a new process would. Stored sessions stay."""
        name = self.project.name
        for module in [item for item in sys.modules if item == name or item.startswith(f"{name}.")]:
            del sys.modules[module]
        sys.path.insert(0, str(self.project.parent))
        try:
            agent = importlib.import_module(f"{name}.agent")
            models = importlib.import_module(f"{name}.models")
        finally:
            sys.path.remove(str(self.project.parent))
        self.agent = agent.conversation(self.sessions, StubModel(models))

    async def turn(self, turn: dict[str, Any]) -> dict[str, Any]:
        """Play one turn, with all its pauses and crashes, and return what was observed."""
        session = turn["session"]
        sight = self.sight(self.job, turn, journalled(self.agent.state(session)))
        token = CURRENT.set(sight)
        roles = self.job["roles"] if turn.get("roles") is None else turn["roles"]
        going = self.agent.turn(session, turn["input"], roles, dry_run=bool(turn.get("dryRun")))
        try:
            with imported_tools(self.job, sight):
                while True:
                    reply = await self._or_death(going, sight)
                    if reply is None:
                        self.start()
                        going = self.agent.resume(session)
                        continue
                    if reply.done:
                        break
                    answers = sight.answers_to(reply.questions)
                    if turn.get("restart"):
                        self.start()
                    going = self.agent.answer(session, answers)
        except Exception as error:
            sight.failed(error)
        finally:
            CURRENT.reset(token)
        seen = sight.done(self.agent.state(session))
        if not seen["error"]:
            seen["output"] = reply.output
        return seen

    async def _or_death(self, going: Any, sight: LoopGraphSight) -> Optional[Any]:
        """Run until the project replies; return None if the process must die, with only the stored sessions left."""
        task = asyncio.ensure_future(going)
        loop = asyncio.get_running_loop()

        def die() -> None:
            if not task.done():
                # a dead process would not have stored anything after this point
                shutil.copytree(self.sessions, self.left)
                sight.dead = True
                task.cancel()

        sight.dies = lambda: loop.call_soon(die)
        await asyncio.wait({task})
        if not sight.dead:
            return task.result()
        sight.dead = False
        shutil.rmtree(self.sessions)
        self.left.rename(self.sessions)
        return None
