"""Agents: what a model is told and shown, and what is made of its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Union

from . import models, tooling, values

MOST_CALLS = 100
"""After so many calls of tools for one answer something is wrong."""


@dataclass(frozen=True)
class Agent:
    """One agent.

    Attributes:
        name: what the host calls it.
        model: which model answers.
        instruction: makes the text that it is told, of its own input and of session state.
        takes: type of its input.
        gives: type of its answer.
        fails: name of the step that fails when the answer is rubbish, and ``code`` how.
        tools: what it may call.
        params: sampling parameters.
    """

    name: str
    model: str
    instruction: Callable[[Any, Any], str]
    takes: Any
    gives: Any
    fails: str
    code: str = "AGENT_BAD_OUTPUT"
    tools: tuple[Union[tooling.Tool, tooling.Exit], ...] = ()
    params: dict[str, Any] = field(default_factory=dict)

    async def answer(self, run: Any, shown: Any, given: Any, number: Optional[int] = None) -> Any:
        """Ask the model until it calls no more tools; return its answer as JSON values.

        None says that it has called the loop's exit instead of answering; what else it called then is done.

        Args:
            run: the turn's run.
            shown: what the model is shown.
            given: the input from which the instruction reads.
            number: of the loop's pass; None outside of loops.

        Raises:
            StepError: the answer is not of the agent's type, or there is none.
        """
        instruction = self.instruction(given, run.state)
        exits = {tool.name for tool in self.tools if isinstance(tool, tooling.Exit)}
        exchanges: list[models.Exchange] = []
        for _ in range(MOST_CALLS):
            request = models.Request(
                agent=self.name,
                model=self.model,
                instruction=instruction,
                text=values.show(shown),
                exchanges=tuple(exchanges),
                gives=self.gives,
                tools=self.tools,
                params=self.params,
            )
            answer = await run.model.answer(request)
            if not answer.calls:
                return self._checked(answer.text)
            calls = [call for call in answer.calls if call.tool not in exits]
            results = [await tooling.use(run, self.tools, self.name, number, call) for call in calls]
            if len(calls) < len(answer.calls):
                return None
            exchanges.append(models.Exchange(answer, tuple(results)))
        raise values.StepError("TOOL_FAILED", self.name, f"no answer after {MOST_CALLS} calls of tools")

    def _checked(self, text: str) -> Any:
        return text if self.gives is str else values.plain(values.take(self.gives, text, self.fails, self.code))


def part_of(record: Any, part: str, agent: str) -> str:
    """A field of an input or of an output in state, as text."""
    if not isinstance(record, dict) or part not in record:
        raise values.StepError("VAR_NOT_SET", agent, f"{part} is read, and nothing has given it")
    return values.show(record[part])
