"""``loop-agent-node``: a loop is a ``LoopAgent`` that is a node of a ``Workflow``."""

from __future__ import annotations

from adk_probe.codegen.mechanisms._workflow import WorkflowMechanism, loop_call

MECHANISM = WorkflowMechanism(
    name="loop-agent-node",
    loop_module="loop_agent_node",
    loop_code=loop_call("loop_agent_node.loop_workflow", describes=True),
    support=("loop_steps", "recording"),
    loop_from_state=True,
    engine_exit=True,
    asks="never",
)
