"""What is shown of steps in Python, beside their functions and types."""

from __future__ import annotations

from adk_probe.codegen.source.literals import literal, tuple_literal
from adk_probe.codegen.views import Views
from adk_probe.graph import ir
from adk_probe.graph.query import schemas_of
from adk_probe.graph.values import stub


def step_extras(node: ir.FunctionNode | ir.ToolNode, views: Views) -> dict[str, str]:
    """The arguments of a step in Python that few have: its guard, and the loops that it is shown."""
    if isinstance(node, ir.FunctionNode):
        return {"sees": tuple_literal(views.loops_before[node.name])} if node.config.sees_run else {}
    guard = node.config.guard
    if guard is None:
        return {}
    parts = {}
    if guard.role is not None:
        parts["role"] = literal(guard.role)
    if guard.destructive:
        planned = stub(node.config.output_type, {schema.name: schema for schema in schemas_of(views.graph)})
        parts |= {"destructive": "True", "planned": literal(planned)}
    return {"guard": f"tooling.StepGuard({', '.join(f'{key}={value}' for key, value in parts.items())})"}
