"""Agents in the reference: what each call of a model sees, what it answers, which tools it uses."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from msgspec import UNSET, Struct, structs

from adk_probe.errors import InputError
from adk_probe.graph import ir
from adk_probe.graph.running_bodies import BodyError, run_body, to_python
from adk_probe.graph.scenario import Answer, ToolCall, Turn
from adk_probe.graph.seen import FailedError, Seen, Session, taken
from adk_probe.graph.trace import Call, ToolUse
from adk_probe.graph.values import MisfitError, fit, parse_answer, render, stub
from adk_probe.graph.whole import Whole


class LateError(Exception):
    """An answer would come after the loop's time is up; nobody waits for it."""


class Ask(Struct, frozen=True, kw_only=True):
    """One run of an agent.

    Attributes:
        name: the agent's name; ``path`` its place.
        home: name of the node that it is or belongs to.
        request: its input as it takes it; for a loop's member the loop's request x.
        draft, feedback: what a loop's member sees of earlier passes.
        deadline: of its loop, on the turn's clock; None if it has all the time.
    """

    name: str
    path: str
    home: str
    config: ir.AgentConfig
    request: Any
    pass_: int | None = None
    draft: Any = None
    feedback: str | None = None
    deadline: Decimal | None = None


class Agents:
    """Answers for every agent of one turn."""

    def __init__(self, whole: Whole, turn: Turn, session: Session, seen: Seen, where: str) -> None:
        self.whole = whole
        self.turn = turn
        self.session = session
        self.seen = seen
        self.where = where
        self._used: dict[tuple[str, str], int] = {}

    def canned(self, kind: str, name: str) -> Any:
        """The scenario's next entry under ``kind`` (answers, human or tools) for ``name``.

        Raises:
            InputError: there is none.
        """
        entries = getattr(self.turn, kind).get(name, ())
        index = self._used.get((kind, name), 0)
        if index >= len(entries):
            text = f"{self.where}: {kind}.{name} has {len(entries)} entries, and one more is asked for"
            raise InputError(text, "Add what is to be answered.")
        self._used[kind, name] = index + 1
        return entries[index]

    def leftover(self) -> dict[str, int]:
        """How many answers of each agent nobody asked for."""
        left = {name: len(rows) - self._used.get(("answers", name), 0) for name, rows in self.turn.answers.items()}
        return {name: count for name, count in sorted(left.items()) if count}

    def request(self, config: ir.AgentConfig, path: str, value: Any) -> Any:
        """What an agent makes of what arrives: text, or a dict of its input schema."""
        return taken(value, config.input_schema_ref or "str", self.whole.schemas, path)

    def ask(self, ask: Ask) -> str:
        """Run an agent until it answers; each tool that it calls costs one more call of the model."""
        results: list[Any] = []
        instruction = self._instruction(ask)
        while True:
            canned = self.canned("answers", ask.name)
            answer = Answer(text=canned) if isinstance(canned, str) else canned
            call = Call(
                path=ask.path,
                pass_=ask.pass_,
                agent=ask.name,
                instruction=instruction,
                request=ask.request,
                draft=ask.draft,
                feedback=ask.feedback,
                tool_results=tuple(results),
            )
            self._wait(answer, ask, call)
            if answer.call is None:
                text = _said(answer)
                self.seen.calls.append(structs.replace(call, answer=text))
                return text
            self.seen.calls.append(structs.replace(call, tool=answer.call.tool))
            results.append(self._use(ask, answer.call))

    def structured(self, ask: Ask) -> Any:
        """Run an agent: its answer as its output schema wants it, or as text.

        Raises:
            FailedError: the answer is not of the schema.
        """
        text = self.ask(ask)
        if ask.config.output_schema_ref == "str":
            return text
        try:
            return fit(parse_answer(text), ask.config.output_schema_ref, self.whole.schemas)
        except MisfitError as misfit:
            text = f"{ask.name} does not answer with a {ask.config.output_schema_ref}: {misfit}"
            raise FailedError("AGENT_BAD_OUTPUT", ask.path, text, ask.pass_) from None

    def _wait(self, answer: Answer, ask: Ask, call: Call) -> None:
        until = self.seen.clock + Decimal(str(answer.delay_seconds))
        if ask.deadline is not None and until > ask.deadline:
            self.seen.clock = ask.deadline
            self.seen.calls.append(call)
            raise LateError(ask.name)
        self.seen.clock = until

    def _instruction(self, ask: Ask) -> str:
        parts = []
        for segment in ask.config.instruction.segments:
            if isinstance(segment, ir.TextSegment):
                parts.append(segment.value)
            else:
                parts.append(render(self._variable(ask, segment)))
        return "".join(parts)

    def _variable(self, ask: Ask, segment: ir.VarSegment) -> Any:
        if segment.via == "input":
            record = ask.request
        else:
            home = self.whole.by_name[ask.home][1]
            entry = self.whole.source(home, segment.source)
            record = self.session.outputs.get(entry[2].name) if entry else None
        if not isinstance(record, dict) or segment.field not in record:
            text = f"{ask.name} reads {segment.field} of {segment.source}, which has given nothing"
            raise FailedError("VAR_NOT_SET", ask.path, text, ask.pass_)
        return record[segment.field]

    def _use(self, ask: Ask, call: ToolCall) -> Any:
        if call.tool not in ask.config.tools:
            raise InputError(f"{self.where}: {ask.name} calls {call.tool!a}, which is not among its tools")
        try:
            args, result = self._tool(call)
        except BodyError as error:
            text = f"the tool {call.tool} failed: {error}"
            raise FailedError("TOOL_FAILED", ask.path, text, ask.pass_) from None
        except MisfitError as misfit:
            raise InputError(f"{self.where}: {ask.name} calls {call.tool}: {misfit}") from None
        use = ToolUse(path=ask.path, pass_=ask.pass_, agent=ask.name, tool=call.tool, args=args, result=result)
        self.seen.tool_uses.append(use)
        return result

    def _tool(self, call: ToolCall) -> tuple[dict[str, Any], Any]:
        """Call a tool: its arguments with defaults filled in, and its result."""
        tool = self.whole.tools.get(call.tool)
        if tool is None:
            node = self.whole.by_name[call.tool][2]
            assert isinstance(node, ir.ToolNode)
            fields: tuple[ir.SchemaField, ...] = (ir.SchemaField(name="node_input", type=node.config.input_type),)
            body, returns = node.config.body, node.config.output_type
        else:
            fields = tuple(parameter_field(parameter) for parameter in tool.parameters)
            body, returns = tool.body, tool.returns
        schema = ir.Schema(name=call.tool, fields=fields)
        schemas = {**self.whole.schemas, call.tool: schema}
        unknown = sorted(call.args.keys() - {field.name for field in fields})
        if unknown:
            raise MisfitError(f"there is no parameter {unknown[0]!a}")
        args = fit(call.args, call.tool, schemas)
        if tool is not None and tool.import_ is not None:
            return args, fit(self.canned("tools", call.tool), returns, self.whole.schemas)
        if body is None:
            return args, stub(returns, self.whole.schemas)
        values = {field.name: to_python(args[field.name], field.type, self.whole.schemas) for field in fields}
        return args, body_result(body, values, returns, self.whole)


def parameter_field(parameter: ir.ToolParameter) -> ir.SchemaField:
    """A tool's parameter as a field: one whose default is null may be null."""
    return ir.SchemaField(
        name=parameter.name,
        type=parameter.type,
        optional=parameter.default is None,
        default=parameter.default,
    )


def body_result(body: str, values: dict[str, Any], returns: str, whole: Whole) -> Any:
    """What a body returns, as its declared type wants it.

    Raises:
        BodyError: it raised, or its result is not of the type.
    """
    result = run_body(body, values, whole.schemas)
    try:
        return fit(result, returns, whole.schemas)
    except MisfitError as misfit:
        raise BodyError(f"the result does not fit: {misfit}") from None


def _said(answer: Answer) -> str:
    if answer.json is UNSET:
        return answer.text or ""
    return json.dumps(answer.json, ensure_ascii=False)
