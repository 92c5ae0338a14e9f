"""An agent's tools in the reference: who may run them, who is asked first, what runs, and the journal of it all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from adk_probe.graph import guards, ir
from adk_probe.graph.index import GraphIndex
from adk_probe.graph.query import has_exit
from adk_probe.graph.reading.scenario import ToolCall
from adk_probe.graph.reference.agent_call import AgentCall
from adk_probe.graph.reference.running_bodies import BodyError, run_body, to_json, to_python
from adk_probe.graph.reference.session import Session, TurnRecorder
from adk_probe.graph.reference.trace import ToolUse
from adk_probe.graph.reference.world import World
from adk_probe.graph.values import MisfitError, fit, stub

Canned = Callable[[str, str], Any]
"""Returns the scenario's next entry of a kind for a name."""


class Tool(Struct, frozen=True):
    """A tool as agents call it, drawn as a node or declared at the top level."""

    name: str
    fields: tuple[ir.SchemaField, ...]
    returns: str
    body: str | None
    import_: str | None
    guard: ir.Guard


def tool_of(index: GraphIndex, name: str) -> Tool:
    """Return the tool of that name, which the graph must have."""
    tool = index.tools.get(name)
    if tool is not None:
        fields = tuple(parameter_field(parameter) for parameter in tool.parameters)
        return Tool(name, fields, tool.returns, tool.body, tool.import_, tool.guard or ir.Guard())
    node = index.by_name[name][2]
    assert isinstance(node, ir.ToolNode)
    config = node.config
    takes = (ir.SchemaField(name="node_input", type=config.input_type),)
    return Tool(name, takes, config.output_type, config.body, None, config.guard or ir.Guard())


def parameter_field(parameter: ir.ToolParameter) -> ir.SchemaField:
    """Return a tool's parameter as a field. If its default is null, the value may be null."""
    return ir.SchemaField(
        name=parameter.name,
        type=parameter.type,
        optional=parameter.default is None,
        default=parameter.default,
    )


class Toolbox:
    """Runs the tools of one turn.

    Args:
        index: the graph.
        session: the turn's session, with its roles and its journal.
        seen: the trace of the turn.
        canned: the scenario's results and confirmations.
        world: what the tools act on, if the scenarios have one.
        asks: whether a person can be asked to confirm a call.
    """

    def __init__(
        self,
        index: GraphIndex,
        session: Session,
        seen: TurnRecorder,
        canned: Canned,
        world: World | None,
        *,
        asks: bool,
    ) -> None:
        self.index = index
        self.session = session
        self.seen = seen
        self.canned = canned
        self.world = world
        self.asks = asks

    def use(self, ask: AgentCall, wishes: tuple[ToolCall, ...]) -> tuple[list[Any], bool]:
        """Run the calls of one answer of a model.

        Calls that a person must confirm wait until all others are done. Then the person is asked.

        Returns:
            The results in the order of the calls, and whether the loop's exit tool was among them.
        """
        results: list[Any] = [None] * len(wishes)
        waiting: list[tuple[int, Tool, dict[str, Any]]] = []
        exits = False
        for index, wish in enumerate(wishes):
            if wish.tool == ir.EXIT_TOOL and has_exit(self.index.graph, ask.config):
                exits = True
            elif wish.tool not in ask.config.tools:
                results[index] = guards.unknown(wish.tool, ask.config.tools)
                self._note(ask, wish.tool, wish.args, "unknown", results[index])
            else:
                tool = tool_of(self.index, wish.tool)
                decided = self._decided(ask, tool, wish.args)
                if decided is not None:
                    results[index] = decided
                elif tool.guard.confirm:
                    waiting.append((index, tool, self._filled(tool, wish.args)))
                    self._note(ask, tool.name, self._filled(tool, wish.args), "asked", None)
                else:
                    results[index] = self._run(ask, tool, self._filled(tool, wish.args))
        for _ in waiting[:1]:
            self.seen.pauses.append(ask.path)
        for index, tool, args in waiting:
            if self.canned("confirm", tool.name):
                results[index] = self._run(ask, tool, args)
            else:
                results[index] = guards.denied(tool.name)
                self._note(ask, tool.name, args, "denied", results[index])
        return results, exits

    def permit(self, guard: ir.Guard | None) -> bool:
        """Whether the user may run a tool with this guard."""
        return guards.permitted(guards.needed(guard), self.session.roles)

    def note_step(self, node: ir.ToolNode, value: Any, decision: str, result: Any) -> None:
        """Record a guarded tool that is a step of the graph in the journal."""
        self._entry(None, None, node.name, {"node_input": value}, decision, result)

    def _decided(self, ask: AgentCall, tool: Tool, args: dict[str, Any]) -> dict[str, Any] | None:
        """Return the result of a call that must not run, or None if it may run."""
        role = guards.needed(tool.guard)
        if role is not None and not guards.permitted(role, self.session.roles):
            result = guards.refused(tool.name, role, self.session.roles)
            self._note(ask, tool.name, args, "refused", result)
            return result
        fields = tuple((field.name, field.has_default, self._fits(field, args)) for field in tool.fields)
        if fault := guards.argument_fault(tool.name, args, fields):
            self._note(ask, tool.name, args, "rejected", {"error": fault})
            return {"error": fault}
        filled = self._filled(tool, args)
        if tool.guard.destructive and self.session.dry_run:
            self._note(ask, tool.name, filled, "planned", guards.planned(tool.name))
            return guards.planned(tool.name)
        if tool.guard.confirm and not self.asks:
            self._note(ask, tool.name, filled, "refused", guards.unasked(tool.name))
            return guards.unasked(tool.name)
        return None

    def _fits(self, field: ir.SchemaField, args: Mapping[str, Any]) -> bool:
        if field.name not in args or (args[field.name] is None and field.optional):
            return True
        try:
            fit(args[field.name], field.type, self.index.schemas)
        except MisfitError:
            return False
        return True

    def _filled(self, tool: Tool, args: dict[str, Any]) -> dict[str, Any]:
        schema = ir.Schema(name=tool.name, fields=tool.fields)
        made: dict[str, Any] = fit(args, tool.name, {**self.index.schemas, tool.name: schema})
        return made

    def _run(self, ask: AgentCall, tool: Tool, args: dict[str, Any]) -> Any:
        try:
            raw = self._raw(tool, args)
        except BodyError as error:
            misfit = isinstance(error.__cause__, MisfitError)
            result: Any = guards.failed(tool.name, guards.MISFIT if misfit else str(error))
        else:
            try:
                result = fit(raw, tool.returns, self.index.schemas)
            except MisfitError:
                result = guards.failed(tool.name, guards.MISFIT)
            else:
                use = ToolUse(path=ask.path, pass_=ask.pass_, agent=ask.name, tool=tool.name, args=args, result=result)
                self.seen.tool_uses.append(use)
                self._note(ask, tool.name, args, "ran", result)
                return result
        self._note(ask, tool.name, args, "failed", result)
        return result

    def _raw(self, tool: Tool, args: dict[str, Any]) -> Any:
        schemas = self.index.schemas
        values = {field.name: to_python(args[field.name], field.type, schemas) for field in tool.fields}
        if tool.import_ is not None:
            function = self.world.function(tool.import_) if self.world is not None else None
            if function is None:
                return self.canned("tools", tool.name)
            try:
                return to_json(function(*values.values()))
            except Exception as error:
                raise BodyError(f"{type(error).__name__}: {error}") from error
        if tool.body is None:
            return stub(tool.returns, schemas)
        return run_body(tool.body, values, schemas, self.world)

    def _note(self, ask: AgentCall, tool: str, args: dict[str, Any], decision: str, result: Any) -> None:
        self._entry(ask.name, ask.pass_, tool, args, decision, result)

    def _entry(
        self, agent: str | None, pass_: int | None, tool: str, args: dict[str, Any], decision: str, result: Any
    ) -> None:
        self.session.journal.append(
            {
                "user": self.session.user,
                "roles": sorted(set(self.session.roles)),
                "agent": agent,
                "pass": pass_,
                "tool": tool,
                "arguments": args,
                "decision": decision,
                "result": result,
            }
        )
