"""The guard of the agents' tools: callbacks of the engine, through which every call of a tool goes."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Callable, Optional

from google.adk.tools import BaseTool, ToolContext

from . import content, guarding, steps, values
from .guarding import Tool


class Guard:
    """Decides on every call of a tool before it runs, and journals it.

    A callback of the agent, not a plugin of the runner: a host that makes its own runner cannot leave it out.

    Args:
        tools: every tool of the project.
        agents: by agent that has tools, the names of its tools.
        loops: by agent that is in a loop, the name of the loop.
        asks: when a person can be asked to confirm a call, by the way in which this project is built: ``always``,
            ``resumable`` (in a resumable app: in another the agents behind the one that waits would go on), or
            ``never``.
        escalates: whether a loop is ended by the engine's escalation.
    """

    def __init__(
        self,
        tools: list[Tool],
        agents: dict[str, tuple[str, ...]],
        loops: dict[str, str],
        *,
        asks: str,
        escalates: bool = False,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._agents = agents
        self._loops = loops
        self._asks = asks
        self._escalates = escalates

    def asks(self, context: Any) -> bool:
        """Whether a person can be asked: not by releases that have no confirmation of tools.

        Args:
            context: the engine's invocation context.
        """
        if self._asks == "never" or not hasattr(ToolContext, "request_confirmation"):
            return False
        return self._asks == "always" or bool(getattr(context, "is_resumable", False))

    def before_tool(self, tool: Any, args: dict[str, Any], tool_context: Any) -> Optional[dict[str, Any]]:
        """The engine's ``before_tool_callback``: None lets the tool run, a dict is its result without running it."""
        if tool.name not in self._agents[tool_context.agent_name]:
            return None  # a tool of another agent is none of this one's, whatever it is called
        rules = self._tools.get(tool.name)
        if rules is None:  # the exit tool
            loop, state = self._loops[tool_context.agent_name], tool_context.state
            state[f"{loop}_exits"] = state.get(f"{loop}_exits", 0) + 1
            state[f"{loop}_exit_pass"] = state[f"{loop}_iterations"]
            return None
        decided = guarding.decide(rules, args, tool_context.state, self.asks(tool_context._invocation_context))
        if decided is None and rules.confirm:
            decided = self._confirmed(rules, args, tool_context)
        if decided is None:
            return None
        told = None if decided.decision == "asked" else decided.result
        self._note(tool_context, tool.name, decided.arguments, decided.decision, told)
        self._leave(tool_context)
        return decided.result

    async def use(self, name: str, tool_context: Any, arguments: dict[str, Any]) -> Any:
        """Run a tool that may run."""
        rules = self._tools[name]
        given = rules.filled(arguments)
        decision, result = await rules.run(given)
        self._note(tool_context, name, given, decision, result)
        self._leave(tool_context)
        if decision == "ran":
            used = {"tool": name, "agent": tool_context.agent_name, "arguments": given, "result": result}
            values.logger.debug("%s used", name, extra=used)
        return result

    def tools_of(self, agent: str, tools: dict[str, Any]) -> dict[str, Any]:
        """The tools of a request, with an answer for those that are not there: the engine would end the run."""
        return _Tools(tools, functools.partial(_Unknown, guard=self, known=self._agents[agent]))

    def missing(self, name: str, args: dict[str, Any], tool_context: Any, known: tuple[str, ...]) -> dict[str, Any]:
        """A model has called a tool that its agent has not."""
        result = guarding.unknown(name, known)
        self._note(tool_context, name, args, "unknown", result)
        return result

    def left(self, agent: str, state: Any) -> bool:
        """Whether the agent has ended its loop by the exit tool, so that its model has nothing more to say."""
        loop = self._loops.get(agent)
        if not loop or state.get(f"{loop}_exit_pass") != state.get(f"{loop}_iterations"):
            return False
        return bool(state.get(f"{loop}_exits", 0) > state.get(f"{loop}_exits_before", 0))

    def _leave(self, tool_context: Any) -> None:
        """End the agent's turn if the exit tool was called beside a call that had to wait for a person."""
        if self.left(tool_context.agent_name, tool_context.state):
            tool_context.actions.skip_summarization = True
            if self._escalates:
                tool_context.actions.escalate = True

    def _confirmed(self, rules: Tool, args: dict[str, Any], tool_context: Any) -> Optional[guarding.Decided]:
        """Ask a person, or take the answer: None if it is yes."""
        answer, given = tool_context.tool_confirmation, rules.filled(args)
        if answer is None:
            tool_context.request_confirmation(hint=f"May {rules.name} run with these arguments?")
            tool_context.actions.skip_summarization = True
            return guarding.Decided("asked", {"waits": f"{rules.name} waits for a person"}, given)
        if answer.confirmed is True:
            return None
        return guarding.Decided("denied", guarding.denied(rules.name), given)

    def _note(self, context: Any, tool: str, arguments: dict[str, Any], decision: str, result: Any) -> None:
        loop = self._loops.get(context.agent_name)
        number = context.state.get(f"{loop}_iterations") if loop else None
        user = context._invocation_context.session.user_id
        guarding.note(context.state, user, context.agent_name, number, tool, arguments, decision, result)


def exit_loop(tool_context: ToolContext) -> None:
    """Ends the loop. Call it when nothing is left to do, and only then."""
    tool_context.actions.skip_summarization = True  # so that the model is not asked again


class _Tools(dict[str, Any]):
    """Tools by name, in which every name is."""

    def __init__(self, tools: dict[str, Any], unknown: Callable[[str], Any]) -> None:
        super().__init__(tools)
        self._unknown = unknown

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Any:
        return self._unknown(name)


class _Unknown(BaseTool):
    """Stands for a tool that is not there."""

    def __init__(self, name: str, guard: Guard, known: tuple[str, ...]) -> None:
        # the engine would take a result of its own tool's name for the agent's answer
        shown = f"{name}_" if name == "set_model_response" else name
        super().__init__(name=shown, description="There is no such tool.")
        self._wanted = name
        self._guard = guard
        self._known = known

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        return self._guard.missing(self._wanted, args, tool_context, self._known)


# ------------------------------------------------------------------ tools that are steps of the graph


@dataclass(frozen=True)
class StepGuard:
    """The guard of a tool that is a step of the graph; ``planned`` is its output in a dry run."""

    role: Optional[str] = None
    destructive: bool = False
    planned: Any = None


async def run_step(
    function: Callable[..., Any],
    takes: Any,
    gives: Any,
    given: Any,
    step: str,
    state: Any,
    user: str,
    *,
    guard: Optional[StepGuard] = None,
    sees: Optional[tuple[str, ...]] = None,
) -> Any:
    """Do a step that is a plain function, and report it; return its output.

    Args:
        function: what it does.
        takes, gives: types of its input and output.
        given: what it is handed.
        step: its name.
        state: session state, into which the journal is written.
        user: whose session it is.
        guard: of a tool.
        sees: for a function that is shown the run, the loops before it.

    Raises:
        StepError: the user may not, or the function fails.
    """
    if sees is not None:
        function = functools.partial(function, run=guarding.run_so_far(state, sees))
    if guard is None:
        return await steps.run_step(function, takes, gives, given, step)
    shown = content.plain(content.take(takes, given, step))
    role = guarding.needed(guard.role, guard.destructive)
    if role is not None and not guarding.permitted(role, guarding.held(state)):
        raise values.StepError("TOOL_NOT_PERMITTED", step, f"it needs the role {role!r} in {guarding.ROLES_KEY!r}")
    if guard.destructive and guarding.dry_run(state):
        guarding.note(state, user, None, None, step, {"node_input": shown}, "planned", guarding.planned(step))
        values.report(step, shown, guard.planned)
        return guard.planned
    output = await steps.run_step(function, takes, gives, given, step)
    guarding.note(state, user, None, None, step, {"node_input": shown}, "ran", output)
    return output
