"""``cyclic-workflow``: a loop is a cycle of a ``Workflow``: generator, critic, router, a routed edge back."""

from __future__ import annotations

from adk_probe.codegen.google_adk.workflow import WorkflowMechanism, loop_call

MECHANISM = WorkflowMechanism(
    name="cyclic-workflow",
    loop_module="loop_cyclic",
    loop_code=loop_call("loop_cyclic.loop_nodes", describes=False),
    flat=True,
)
