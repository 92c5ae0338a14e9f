"""What a smoke test plays: answers that fit, and words that the first steps can take."""

from __future__ import annotations

import json
from typing import Any

from adk_probe.codegen.views import Views
from adk_probe.graph import ir
from adk_probe.graph.query import schemas_of
from adk_probe.graph.values import stub


def answers(views: Views) -> dict[str, Any]:
    """Return an answer of each agent's type, such that loops end at once, by agent."""
    schemas = {schema.name: schema for schema in schemas_of(views.graph)}
    found: dict[str, Any] = {}
    for node in views.nodes.values():
        if isinstance(node, ir.AgentNode):
            found[node.name] = stub(node.config.output_schema_ref, schemas) or "An answer."
        elif isinstance(node, ir.LoopNode):
            phrase = node.config.approval_phrase
            verdict: Any = {"is_valid": True} if phrase is None else {"status": phrase}
            draft = stub(node.config.payload_type, schemas) or "A draft."
            for role, _ in node.members:
                found[node.member(role)] = {**verdict, "feedback": "Good."} if role == "critic" else draft
    return found


def request(views: Views) -> str:
    """Return the user's words."""
    schemas = {schema.name: schema for schema in schemas_of(views.graph)}
    for edge in views.graph.edges:
        node = views.graph.node(edge.to)
        if edge.from_ != ir.START or node is None:
            continue
        config: Any = node.config
        kind = getattr(config, "input_type", None) or getattr(config, "input_schema_ref", None)
        if kind and kind != "str":
            value = stub(kind, schemas)
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "Hello."
