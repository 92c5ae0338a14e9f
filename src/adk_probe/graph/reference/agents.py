"""Agents in the reference: what each model call sees, what it answers, and which tools it uses."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from msgspec import UNSET, structs

from adk_probe.errors import InputError
from adk_probe.graph import ir
from adk_probe.graph.index import GraphIndex
from adk_probe.graph.reading.scenario import Answer, Turn
from adk_probe.graph.reference.agent_call import AgentCall, LateError
from adk_probe.graph.reference.running_bodies import BodyError, run_body
from adk_probe.graph.reference.session import FailedError, Session, TurnRecorder, taken
from adk_probe.graph.reference.tool_use import Toolbox
from adk_probe.graph.reference.trace import Call
from adk_probe.graph.reference.world import World
from adk_probe.graph.values import MisfitError, fit, parse_answer, render


class Agents:
    """Gives the answers of every agent in one turn."""

    def __init__(
        self,
        index: GraphIndex,
        turn: Turn,
        session: Session,
        seen: TurnRecorder,
        where: str,
        world: World | None = None,
        *,
        asks: bool = True,
    ) -> None:
        self.index = index
        self.turn = turn
        self.session = session
        self.seen = seen
        self.where = where
        self.tools = Toolbox(index, session, seen, self.canned, world, asks=asks)
        self._used: dict[tuple[str, str], int] = {}

    def canned(self, kind: str, name: str) -> Any:
        """Return the scenario's next entry under ``kind`` (answers, human, tools or confirm) for ``name``.

        Raises:
            InputError: the scenario has no more entries.
        """
        entries = getattr(self.turn, kind).get(name, ())
        index = self._used.get((kind, name), 0)
        if index >= len(entries):
            text = f"{self.where}: {kind}.{name} has {len(entries)} entries, but the run asks for one more"
            raise InputError(text, f"Add another entry to {kind}.{name}.")
        self._used[kind, name] = index + 1
        return entries[index]

    def leftover(self) -> dict[str, int]:
        """Return how many of each agent's answers the run did not ask for."""
        left = {name: len(rows) - self._used.get(("answers", name), 0) for name, rows in self.turn.answers.items()}
        return {name: count for name, count in sorted(left.items()) if count}

    def request(self, config: ir.AgentConfig, path: str, value: Any) -> Any:
        """Convert a node's input to what the agent takes: text, or a dict of its input schema."""
        return taken(value, config.input_schema_ref or "str", self.index.schemas, path)

    def ask(self, ask: AgentCall) -> str | None:
        """Run an agent until it answers.

        If the model calls tools, it is called once more with their results.

        Returns:
            The answer's text; None if the agent called the exit tool, after which the model is not called again.
        """
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
            wishes = answer.wishes
            if not wishes:
                text = _said(answer)
                self.seen.calls.append(structs.replace(call, answer=text))
                return text
            self.seen.calls.append(structs.replace(call, tool=", ".join(wish.tool for wish in wishes)))
            if not ask.config.tools:
                text = f"{self.where}: {ask.name} calls {wishes[0].tool!a}, but has no tools"
                raise InputError(text, "Give it another answer: engines differ in what they do here.")
            given, exits = self.tools.use(ask, wishes)
            if exits:
                return None
            results += given

    def structured(self, ask: AgentCall) -> Any:
        """Run an agent and return its answer as its output schema defines it, or as text.

        Raises:
            FailedError: the answer does not fit the schema.
        """
        text = self.ask(ask) or ""
        if ask.config.output_schema_ref == "str":
            return text
        try:
            return fit(parse_answer(text), ask.config.output_schema_ref, self.index.schemas)
        except MisfitError as misfit:
            text = f"{ask.name} does not answer with a {ask.config.output_schema_ref}: {misfit}"
            raise FailedError("AGENT_BAD_OUTPUT", ask.path, text, ask.pass_) from None

    def _wait(self, answer: Answer, ask: AgentCall, call: Call) -> None:
        until = self.seen.clock + Decimal(str(answer.delay_seconds))
        if ask.deadline is not None and until > ask.deadline:
            self.seen.clock = ask.deadline
            self.seen.calls.append(call)
            raise LateError(ask.name)
        self.seen.clock = until

    def _instruction(self, ask: AgentCall) -> str:
        parts = []
        for segment in ask.config.instruction.segments:
            if isinstance(segment, ir.TextSegment):
                parts.append(segment.value)
            else:
                parts.append(render(self._variable(ask, segment)))
        return "".join(parts)

    def _variable(self, ask: AgentCall, segment: ir.VarSegment) -> Any:
        if segment.via == "input":
            record = ask.request
        else:
            home = self.index.by_name[ask.home][1]
            entry = self.index.source(home, segment.source)
            record = self.session.outputs.get(entry[2].name) if entry else None
        if not isinstance(record, dict) or segment.field not in record:
            text = f"{ask.name} reads {segment.field} of {segment.source}, which has no output yet"
            raise FailedError("VAR_NOT_SET", ask.path, text, ask.pass_)
        return record[segment.field]


def body_result(body: str, values: dict[str, Any], returns: str, index: GraphIndex, world: World | None = None) -> Any:
    """Run a body and return its result, converted to its declared type.

    Raises:
        BodyError: the body raised, or its result does not fit the type.
    """
    result = run_body(body, values, index.schemas, world)
    try:
        return fit(result, returns, index.schemas)
    except MisfitError as misfit:
        raise BodyError(f"the result does not fit: {misfit}") from None


def _said(answer: Answer) -> str:
    if answer.json is UNSET:
        return answer.text or ""
    return json.dumps(answer.json, ensure_ascii=False)
