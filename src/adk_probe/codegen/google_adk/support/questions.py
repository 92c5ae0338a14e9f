"""Nodes of the workflow that are questions to a person."""

from __future__ import annotations

from typing import Any

from google.adk.events.event import Event
from google.adk.events.request_input import RequestInput
from google.adk.workflow import FunctionNode

from . import content, steps


def human(name: str, message: str, shows: Any, gives: Any, *, keep: bool) -> FunctionNode:
    """A question to a person as a node: the run pauses, and goes on with the answer as the node's output."""

    async def run(ctx: Any, node_input: Any) -> Any:
        shown = content.plain(content.take(shows, node_input, name))
        question = f"{name}:{ctx.get_invocation_context().invocation_id}:{ctx.run_id}"
        if question not in ctx.resume_inputs:
            # without response_schema: the engine's own check puts null for every field that an answer leaves out
            yield RequestInput(interrupt_id=question, message=message, payload=shown)
            return
        output = steps.answered(gives, shown, ctx.resume_inputs[question], name)
        if keep:
            ctx.state[f"{name}_output"] = output
        yield Event(output=output)

    return FunctionNode(func=run, name=name, rerun_on_resume=True)
