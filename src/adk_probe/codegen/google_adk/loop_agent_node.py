"""``loop-agent-node``: a loop is a ``LoopAgent`` that is a node of a ``Workflow``."""

from __future__ import annotations

from adk_probe.codegen.google_adk.workflow import WorkflowMechanism, loop_call

MECHANISM = WorkflowMechanism(
    name="loop-agent-node",
    loop_module="loop_agent_node",
    loop_code=loop_call("loop_agent_node.loop_workflow", describes=True),
    loop_from_state=True,
    engine_exit=True,
    asks="never",
)
