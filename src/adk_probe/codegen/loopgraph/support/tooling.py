"""Tools as models are told of them, and how agents and steps use them; what may run is decided in ``guarding``.

Nobody can be asked while a tool is called: what a person must confirm is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

from pydantic import TypeAdapter

from . import guarding, values


@dataclass(frozen=True)
class Tool(guarding.Tool):
    """A tool with its guard; ``description`` is what models are told of it."""

    description: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as a JSON Schema."""
        kinds = {key: Optional[kind] if self._may_be_null(key) else kind for key, kind in self.takes.items()}
        parts = {key: TypeAdapter(kind).json_schema() for key, kind in kinds.items()}
        return {"type": "object", "properties": parts, "required": [key for key in parts if key not in self.defaults]}

    def _may_be_null(self, key: str) -> bool:
        return key in self.defaults and self.defaults[key] is None


@dataclass(frozen=True)
class Exit:
    """The tool by which a loop's critic approves and ends the loop; there is nothing to run."""

    name: str
    description: str = "Ends the loop. Call it when nothing is left to do, and only then."

    @property
    def schema(self) -> dict[str, Any]:
        """It takes nothing."""
        return {"type": "object", "properties": {}, "required": []}


async def use(run: Any, tools: tuple[Any, ...], agent: str, number: Optional[int], call: Any) -> Any:
    """Do what a model calls for, if it may be done, and journal it; return what the model is told.

    Args:
        run: the turn's run.
        tools: what the agent may call.
        agent: whose model calls.
        number: of the loop's pass.
        call: a tool's name and its arguments.
    """
    tool = next((each for each in tools if each.name == call.tool), None)
    if tool is None:
        result = guarding.unknown(call.tool, tuple(each.name for each in tools))
        run.note(agent, number, call.tool, call.arguments, "unknown", result)
        return result
    decided = guarding.decide(tool, call.arguments, run.state, asks=False)
    if decided is not None:
        run.note(agent, number, tool.name, decided.arguments, decided.decision, decided.result)
        return decided.result
    given = tool.filled(call.arguments)
    decision, result = await tool.run(given)
    run.note(agent, number, tool.name, given, decision, result)
    if decision == "ran":
        used = {"tool": tool.name, "agent": agent, "arguments": given, "result": result}
        values.logger.debug("%s used", tool.name, extra=used)
    return result


# ------------------------------------------------------------------ tools that are steps of the graph


@dataclass(frozen=True)
class StepGuard:
    """The guard of a tool that is a step of the graph; ``planned`` is its output in a dry run."""

    role: Optional[str] = None
    destructive: bool = False
    planned: Any = None

    def permit(self, name: str, state: Any) -> None:
        """Let the user use the tool, or raise StepError."""
        role = guarding.needed(self.role, self.destructive)
        if role is not None and not guarding.permitted(role, guarding.held(state)):
            text = f"it needs the role {role!r} in {guarding.ROLES_KEY!r}"
            raise values.StepError("TOOL_NOT_PERMITTED", name, text)

    def plans(self, state: Any) -> bool:
        """Whether it is only planned, and not run."""
        return self.destructive and guarding.dry_run(state)
