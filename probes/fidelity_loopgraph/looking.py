"""Records what can be observed of a run on LoopGraph. Here the project's own interface reaches the models."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace
from typing import Any, Callable

from seeing import CURRENT, Sight, wishes


class StubModel:
    """A model that plays the scenario.

    Args:
        models: the project's module ``models``.
    """

    def __init__(self, models: Any) -> None:
        self._models = models

    async def answer(self, request: Any) -> Any:
        """Answer once, as the scenario says."""
        while CURRENT.get().dead:
            await asyncio.sleep(1)
        results = [result for exchange in request.exchanges for result in exchange.results]
        shown = SimpleNamespace(parts=[SimpleNamespace(text=request.text)])
        asked = SimpleNamespace(contents=[shown, *results], instruction=request.instruction)
        answer = await CURRENT.get().asked(request.agent, asked)
        if not wishes(answer):
            return self._models.Answer(text=answer["text"])
        calls = [self._models.Call(wish["tool"], dict(wish.get("args") or {})) for wish in wishes(answer)]
        return self._models.Answer(calls=tuple(calls))


class LoopGraphSight(Sight):
    """Everything that is observed of one turn.

    Attributes:
        dies: called when the scenario lets the process die. The process then dies at the next turn of the event loop,
            when the step has been recorded as done.
        dead: whether the process has died. Anything that happens before all of it has stopped counts as not happened.
    """

    dies: Callable[[], None]
    dead = False

    def _instruction(self, agent: str, request: Any) -> str:  # noqa: ARG002
        return str(request.instruction)

    def _results(self, contents: list[Any]) -> list[Any]:
        return list(contents)

    def reported(self, record: logging.LogRecord) -> None:
        """Record a step (of a loop's member too), a loop's end or a tool's use that the project reports."""
        if self.dead:
            return
        about = self.job["agents"].get(getattr(record, "step", None))
        if about is None or not about["loop"]:
            super().reported(record)
        else:
            if about["role"] != "critic":
                self._passes[about["loop"]] = record.number
            self._step(record.step, about["path"], record.number, record.given, record.output, None)
        if self._due:
            self._due = False
            self.dies()

    def answers_to(self, questions: Any) -> dict[str, Any]:
        """Return the people's answers."""
        return {question.node: self.canned("human", question.node) for question in questions}
