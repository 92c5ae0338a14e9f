"""``dynamic-workflow``: a loop is one dynamic node that runs its agents in a Python loop."""

from __future__ import annotations

from adk_probe.codegen.google_adk.workflow import WorkflowMechanism, loop_call

MECHANISM = WorkflowMechanism(
    name="dynamic-workflow",
    loop_module="loop_dynamic",
    loop_code=loop_call("loop_dynamic.loop_node", describes=True),
)
