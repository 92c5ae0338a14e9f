"""The two forms of a loop in files, and how both become one ``LoopConfig``."""

from __future__ import annotations

from typing import Literal

from adk_probe.graph.ir import AgentConfig, Instruction, LoopConfig, TextSegment, Written


class PlainAgent(Written, frozen=True, kw_only=True):
    """An agent of a 0.1 loop. Its instruction is one text."""

    model: str
    instruction: str


class LoopConfig01(Written, frozen=True, kw_only=True):
    """A loop in a 0.1 file."""

    max_iterations: int
    approval_phrase: str
    input_type: str
    payload_type: str
    generator: PlainAgent
    critic: PlainAgent
    reviser: PlainAgent
    description: str | None = None


class LoopConfig02(Written, frozen=True, kw_only=True):
    """A loop in a 0.2 file. ``timeout_seconds`` is in seconds."""

    max_iterations: int
    generator: AgentConfig
    critic: AgentConfig
    description: str | None = None
    input_type: str | None = None
    on_exhausted: Literal["pass", "fail"] = "pass"
    timeout_seconds: float | None = None


def loop_config(written: LoopConfig01 | LoopConfig02) -> LoopConfig:
    """Convert either form to the common one."""
    if isinstance(written, LoopConfig02):
        return LoopConfig(
            description=written.description,
            max_iterations=written.max_iterations,
            generator=written.generator,
            critic=written.critic,
            reviser=None,
            approval_phrase=None,
            input_type=written.input_type,
            payload_type=written.generator.output_schema_ref,
            on_exhausted=written.on_exhausted,
            timeout_seconds=written.timeout_seconds,
        )
    return LoopConfig(
        description=written.description,
        max_iterations=written.max_iterations,
        generator=_whole(written.generator, written.input_type, written.payload_type),
        critic=_whole(written.critic, written.payload_type, "str"),
        reviser=_whole(written.reviser, written.payload_type, written.payload_type),
        approval_phrase=written.approval_phrase,
        input_type=written.input_type,
        payload_type=written.payload_type,
        on_exhausted="pass",
        timeout_seconds=None,
    )


def _whole(agent: PlainAgent, takes: str, gives: str) -> AgentConfig:
    text = Instruction(segments=(TextSegment(value=agent.instruction),))
    return AgentConfig(model=agent.model, instruction=text, input_schema_ref=takes, output_schema_ref=gives)
