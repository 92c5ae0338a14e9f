"""What a loop means: generate, criticise, revise or pass.

A loop is five nodes, of which three go round:

    <name>-enter > <name>-draft > <name>-judge > <name>-route
    <name>-route > <name>-draft    on route "revise", while the engine lets <name>-draft be visited
    <name>-route > <name>          on route "pass"; on "revise" too (by the edge "exit") when the visits are used up

So it is the engine that bounds the loop, and the last node is told how it ended: it gets the route that was wanted.
A critic that calls the tool ``exit_loop`` passes the draft without another word.
A switch hands on its route and nothing else, which is why request, draft and feedback are in the session's file.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Callable, Optional

from . import values
from .prompts import Agent

GRACE = 0.01
"""Seconds: an answer that comes exactly when the time is up is in time, and no clock is exact."""

_ENDS = {"pass": "approved", "revise": "exhausted", "late": "timed_out"}


class Late(Exception):
    """The loop's time is up."""


@dataclass(frozen=True)
class Loop:
    """One loop; how often it may go round is said by its node ``<name>-draft``.

    Attributes:
        name: of the loop's node.
        request: type of what enters it.
        generator: makes draft 1, and the others where there is no ``reviser``.
        critic: judges each draft.
        reviser: makes drafts 2, 3, ...
        approval: None when the critic's ``is_valid`` decides; else the ``status`` that approves.
        must_pass: whether it is an error to end without approval.
        timeout: seconds of agents' work; None for all the time.
        kept: whether an instruction reads the last draft later.
    """

    name: str
    request: Any
    generator: Agent
    critic: Agent
    reviser: Optional[Agent] = None
    approval: Optional[str] = None
    must_pass: bool = False
    timeout: Optional[float] = None
    kept: bool = False

    @property
    def handlers(self) -> dict[str, Callable[..., Any]]:
        """The handlers of the loop's nodes."""
        return {
            f"{self.name}-enter": self.enter,
            f"{self.name}-draft": self.write,
            f"{self.name}-judge": self.judge,
            f"{self.name}-route": self.route,
            self.name: self.leave,
        }

    async def enter(self, run: Any, given: Any) -> Any:
        """Begin anew: no draft, no feedback, no pass."""
        request = values.plain(values.take(self.request, given, self.name))
        run.local[self.name] = {
            "request": request,
            "draft": None,
            "drafted": False,
            "feedback": "",
            "passes": 0,
            "left": self.timeout,
            "late": False,
            "exited": False,
        }
        return request

    async def write(self, run: Any, _given: Any) -> Any:
        """Begin a pass: make a draft."""
        place = run.local[self.name]
        number, request = place["passes"] + 1, place["request"]
        seen = {"request": request}
        writer = self.generator
        if number > 1:
            seen |= {"draft": place["draft"], "feedback": place["feedback"]}
            writer = self.reviser or writer
        try:
            draft, left = await self._ask(run, writer, request if number == 1 else seen, number)
        except Late:
            run.local[self.name] = {**place, "passes": number, "left": 0, "late": True}
            return None
        # state changes only here, where nothing is waited for: what is saved is a whole step or none of it
        run.local[self.name] = {**place, "passes": number, "draft": draft, "drafted": True, "left": left}
        values.report(writer.name, seen, draft, number=number)
        return draft

    async def judge(self, run: Any, _given: Any) -> Any:
        """Let the critic judge the draft; return its evaluation, None if there is none."""
        place = run.local[self.name]
        if place["late"]:
            return None
        seen = {"request": place["request"], "draft": place["draft"]}
        try:
            evaluation, left = await self._ask(run, self.critic, seen, place["passes"])
        except Late:
            run.local[self.name] = {**place, "left": 0, "late": True}
            return None
        if evaluation is None:
            run.local[self.name] = {**place, "left": left, "exited": True}
            return None
        run.local[self.name] = {**place, "feedback": evaluation["feedback"], "left": left}
        values.report(self.critic.name, seen, evaluation, number=place["passes"])
        return evaluation

    async def route(self, run: Any, evaluation: Any) -> str:
        """Whether to pass or to revise."""
        place = run.local[self.name]
        if place["late"] or place["exited"]:
            return "late" if place["late"] else "pass"
        if self.approval is None:
            return "pass" if evaluation["is_valid"] else "revise"
        return "pass" if evaluation["status"].strip() == self.approval.strip() else "revise"

    async def leave(self, run: Any, route: Any) -> Any:
        """Go on downstream; return the loop's output, its last draft.

        Raises:
            StepError: the loop ends without the approval that it needs, or without a draft.
        """
        place, end = run.local[self.name], _ENDS[route]
        run.state[f"{self.name}_status"] = end
        run.state[f"{self.name}_iterations"] = place["passes"]
        run.state[f"{self.name}_feedback"] = place["feedback"]
        ended = {"loop": self.name, "end": end, "passes": place["passes"], "feedback": place["feedback"]}
        values.logger.debug("%s ended: %s", self.name, end, extra=ended)
        if end == "timed_out" and (self.must_pass or not place["drafted"]):
            raise values.StepError("LOOP_TIMED_OUT", self.name, f"the loop has not ended within {self.timeout} s")
        if end == "exhausted" and self.must_pass:
            text = f"the loop is not approved after {place['passes']} passes; last feedback: {place['feedback']}"
            raise values.StepError("LOOP_EXHAUSTED", self.name, text)
        values.report(self.name, place["request"], place["draft"])
        run.keep(self.name, place["draft"], self.kept)
        return place["draft"]

    async def _ask(self, run: Any, agent: Agent, shown: Any, number: int) -> tuple[Any, Optional[float]]:
        """Ask an agent on a pass; return its answer and the time that is left, or raise Late."""
        place = run.local[self.name]
        answer = agent.answer(run, shown, place["request"], number)
        if self.timeout is None:
            return await answer, None
        clock = asyncio.get_running_loop()
        began = clock.time()
        task = asyncio.ensure_future(answer)
        try:
            await asyncio.wait({task}, timeout=place["left"] + GRACE)
            if not task.done():
                raise Late
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        return task.result(), max(place["left"] - (clock.time() - began), 0.0)
