"""Loops in the reference: generate, criticize, then revise or pass."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from adk_probe.graph import ir
from adk_probe.graph.reference.agent_call import AgentCall, LateError
from adk_probe.graph.reference.agents import Agents
from adk_probe.graph.reference.session import FailedError, taken
from adk_probe.graph.reference.trace import End, LoopEnd, Step
from adk_probe.graph.values import MisfitError, fit, parse_answer


def request_type(loop: ir.LoopConfig) -> str:
    """Return the type of the request x: the loop's input type, else its generator's input schema, else text."""
    return loop.input_type or loop.generator.input_schema_ref or "str"


def run_loop(agents: Agents, node: ir.LoopNode, path: str, value: Any) -> tuple[Any, Any]:
    """Run a loop on its input.

    Returns:
        Its request x and its last draft.

    Raises:
        FailedError: the critic's answer does not fit the evaluation's schema; the loop ends without approval and
            ``onExhausted`` is ``fail``; or the time limit is over before there is a draft.
    """
    loop = _Loop(agents, node, path, value)
    end = loop.passes()
    loop.note(end)
    failing = node.config.on_exhausted == "fail" and end != "approved"
    if end == "timed_out" and (failing or not loop.drafted):
        text = f"the loop {node.name} did not end within {node.config.timeout_seconds} s"
        raise FailedError("LOOP_TIMED_OUT", path, text, loop.count)
    if failing:
        text = f"the loop {node.name} was not approved after {loop.count} passes"
        raise FailedError("LOOP_EXHAUSTED", path, text, loop.count)
    return loop.request, loop.draft


class _Loop:
    def __init__(self, agents: Agents, node: ir.LoopNode, path: str, value: Any) -> None:
        self.agents = agents
        self.node = node
        self.path = path
        self.request = taken(value, request_type(node.config), agents.index.schemas, path)
        self.count = 0
        self.drafted = False
        self.draft: Any = None
        self.feedback: str | None = None
        seconds = node.config.timeout_seconds
        self.deadline = None if seconds is None else agents.seen.clock + Decimal(str(seconds))

    def passes(self) -> End:
        """Run passes until one ends the loop."""
        try:
            while self.count < self.node.config.max_iterations:
                self.count += 1
                self._generate()
                if self._criticise():
                    return "approved"
        except LateError:
            return "timed_out"
        return "exhausted"

    def note(self, end: End) -> None:
        """Record the loop's end in session state and in the trace."""
        feedback = self.feedback or ""
        state = self.agents.session.state
        state[f"{self.node.name}_status"] = end
        state[f"{self.node.name}_iterations"] = self.count
        state[f"{self.node.name}_feedback"] = feedback
        self.agents.seen.loops.append(LoopEnd(path=self.path, end=end, passes=self.count, feedback=feedback))

    def _generate(self) -> None:
        loop = self.node.config
        first = self.count == 1
        role: ir.Role = "generator" if first or loop.reviser is None else "reviser"
        config = loop.generator if role == "generator" or loop.reviser is None else loop.reviser
        ask = self._ask(role, config)
        self.draft = self.agents.structured(ask)
        self.drafted = True
        saw = {"request": self.request}
        if not first:
            saw |= {"draft": ask.draft, "feedback": ask.feedback}
        self._step(ask, saw, self.draft)

    def _criticise(self) -> bool:
        """Ask the critic about the draft, and return whether it approves."""
        ask = self._ask("critic", self.node.config.critic)
        text = self.agents.ask(ask)
        if text is None:
            return True
        evaluation = self._evaluation(text)
        self.feedback = evaluation["feedback"]
        self._step(ask, {"request": self.request, "draft": self.draft}, evaluation)
        phrase = self.node.config.approval_phrase
        if phrase is None:
            return evaluation["is_valid"] is True
        return bool(evaluation["status"].strip() == phrase.strip())

    def _evaluation(self, text: str) -> Any:
        schema = self.node.evaluation
        try:
            return fit(parse_answer(text), schema.name, {schema.name: schema})
        except MisfitError as misfit:
            message = f"the critic of the loop {self.node.name} did not answer with a {schema.name}: {misfit}"
            raise FailedError("LOOP_BAD_CRITIC", self.path, message, self.count) from None

    def _ask(self, role: ir.Role, config: ir.AgentConfig) -> AgentCall:
        name = self.node.member(role)
        return AgentCall(
            name=name,
            path=f"{self.path}/{name}",
            home=self.node.name,
            config=config,
            request=self.request,
            pass_=self.count,
            draft=self.draft,
            # a critic does not see earlier passes
            feedback=None if role == "critic" else self.feedback,
            deadline=self.deadline,
        )

    def _step(self, ask: AgentCall, saw: dict[str, Any], output: Any) -> None:
        self.agents.seen.step(Step(path=ask.path, pass_=ask.pass_, input=saw, output=output), ask.name)
