"""The expressions of loops and of agents' answers, which several mechanisms write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adk_probe.codegen.views import Views
from adk_probe.graph import ir
from adk_probe.graph.query import has_exit


def member_keys(views: Views) -> dict[str, str]:
    """The keys under which the agents of loops leave their answers for the step behind them."""
    return {
        loop.member(role): f"{loop.name}_{'evaluation' if role == 'critic' else 'answer'}"
        for loop in views.loops
        for role, _ in loop.members
    }


def agent_keys(views: Views, names: Iterable[str]) -> dict[str, str]:
    """The keys under which the agents among these nodes leave their answers."""
    return {name: f"{name}_output" for name in names if isinstance(views.nodes.get(name), ir.AgentNode)}


def loop_rules(node: ir.LoopNode, views: Views, *, kept: bool = False) -> str:
    """The expression that makes the ``Loop`` of a loop node; ``kept``: a workflow leaves its output in state."""
    config = node.config
    parts: dict[str, Any] = {
        "name": repr(node.name),
        "max_passes": repr(config.max_iterations),
        "request": views.write_type(config.input_type or config.generator.input_schema_ref or "str"),
        "draft": views.write_type(config.payload_type),
        "evaluation": views.write_type(node.evaluation_name),
    }
    if config.approval_phrase is not None:
        parts["approval"] = repr(config.approval_phrase)
    if config.on_exhausted == "fail":
        parts["must_pass"] = "True"
    if config.timeout_seconds is not None:
        parts["timeout"] = repr(float(config.timeout_seconds))
    if has_exit(views.graph, node.config.critic):
        parts["exits"] = "True"
    if kept:
        parts["kept"] = "True"
    return f"loops.Loop({', '.join(f'{key}={value}' for key, value in parts.items())})"


def loop_agents(node: ir.LoopNode, views: Views) -> str:
    """The keyword arguments that name a loop's agents."""
    symbols = views.names["agents"]
    parts = {role: f"agents.{symbols[node.member(role)]}" for role, _ in node.members}
    return ", ".join(f"{role}={parts[role]}" for role in ("generator", "critic", "reviser") if role in parts)
