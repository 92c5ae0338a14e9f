"""What an example has in it, by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from adk_probe.differential.scenarios import RUBBISH, Example, splits
from adk_probe.graph import ir
from adk_probe.graph.query import agent_tools, agents_of, graphs_of, in_flow, schemas_of, tools_of, walk

ALWAYS = """
    agent function router tool join humanInput workflow loop loop-0.1 loop-0.2 nested-twice loop-in-workflow
    two-loops-in-a-row loop-behind-router tool-on-edge tool-of-agent top-level-tool imported-tool guard split
    unlike-branches schema-in-schema optional default null-default variable-input variable-state stub emits mode
    model-params timeout on-exhausted description several-ends join-as-schema
    turns sessions at-once restart crash crash-in-loop delay call fenced rubbish human-answer never-approved
"""
"""What a few hundred draws must have, a word each."""


def features(example: Example) -> set[str]:
    """Everything of the example that has a name here."""
    return {*_nodes(example.graph), *_graphs(example.graph), *_types(example.graph), *_scenario(example)}


def _nodes(graph: ir.Graph) -> Iterator[str]:
    for path, home, node in walk(graph):
        config: Any = node.config
        yield str(type(node).__struct_config__.tag)
        if isinstance(node, ir.ToolNode):
            yield "tool-on-edge" if in_flow(home, node) else "tool-of-agent"
        if isinstance(node, ir.LoopNode):
            yield "loop-0.2" if config.reviser is None else "loop-0.1"
            yield from ["loop-in-workflow"] * ("/" in path)
            yield from ["timeout"] * (config.timeout_seconds is not None)
            yield from ["on-exhausted"] * (config.on_exhausted == "fail")
        yield from ["nested-twice"] * (path.count("/") > 1)
        yield from ["stub"] * (getattr(config, "body", "") is None)
        yield from ["description"] * bool(getattr(config, "description", None))
        yield from ["emits"] * (getattr(config, "emits", "") == "message")
        yield from ["guard"] * (getattr(config, "guard", None) is not None)
        for _, agent in agents_of(node):
            yield from ["mode"] * (agent.mode is not None)
            yield from ["model-params"] * (agent.model_params is not None)
            yield from (
                f"variable-{part.via}" for part in agent.instruction.segments if isinstance(part, ir.VarSegment)
            )


def _graphs(graph: ir.Graph) -> Iterator[str]:
    yield from ["split"] * splits(graph)
    for _, inner in graphs_of(graph):
        kinds = {node.id: type(node) for node in inner.nodes}
        ends = {node.id for node in inner.nodes} - {edge.from_ for edge in inner.edges}
        yield from ["several-ends"] * (sum(in_flow(inner, node) for node in inner.nodes if node.id in ends) > 1)
        for edge in inner.edges:
            pair = kinds.get(edge.from_), kinds[edge.to]
            yield from ["two-loops-in-a-row"] * (pair == (ir.LoopNode, ir.LoopNode))
            yield from ["loop-behind-router"] * (pair == (ir.RouterNode, ir.LoopNode))
            after = inner.node(edge.to)
            named = isinstance(after, ir.FunctionNode) and after.config.input_type not in ir.SCALARS
            yield from ["join-as-schema"] * (kinds.get(edge.from_) is ir.JoinNode and named)
        routed = {edge.from_ for edge in inner.edges if edge.route is not None}
        for router in routed:
            targets = [edge.to for edge in inner.edges if edge.from_ == router]
            yield from ["unlike-branches"] * any(
                edge.from_ in targets and edge.to in targets for edge in inner.edges if edge.from_ != router
            )


def _types(graph: ir.Graph) -> Iterator[str]:
    schemas = schemas_of(graph)
    names = {schema.name for schema in schemas}
    for field in (field for schema in schemas for field in schema.fields):
        yield from ["schema-in-schema"] * (field.type in names)
        yield from ["optional"] * field.optional
        yield from ["default"] * (field.has_default and field.default is not None)
        yield from ["null-default"] * (field.has_default and field.default is None)
    for tool in tools_of(graph):
        yield "imported-tool" if tool.import_ else "top-level-tool"
        yield from ["tool-of-agent"] * (tool.name in agent_tools(graph))
        yield from ["guard"] * (tool.guard is not None)


def _scenario(example: Example) -> Iterator[str]:
    scenario = example.scenario
    turns = [turn.session for turn in scenario.turns]
    yield from ["turns"] * (len(turns) > len(set(turns)))
    yield from ["sessions"] * (len(set(turns)) > 1)
    yield from ["at-once"] * scenario.at_once
    yield from ["restart"] * any(turn.restart for turn in scenario.turns)
    yield from ["human-answer"] * any(turn.human for turn in scenario.turns)
    crashes = [turn.crash for turn in scenario.turns if turn.crash is not None]
    yield from ["crash"] * bool(crashes)
    yield from ["crash-in-loop"] * any(crash.pass_ is not None for crash in crashes)
    text = example.scenario_file.decode()
    yield from ["delay"] * ('"delaySeconds"' in text)
    yield from ["call"] * ('"call"' in text)
    yield from ["fenced"] * ("```json\\n{" in text)
    yield from ["rubbish"] * any(json.dumps({"text": words})[1:-1] in text for words in RUBBISH if words)
    for turn in json.loads(text)["scenarios"][0]["turns"]:
        verdicts = [entry for name, rows in turn["answers"].items() if name.endswith("_critic") for entry in rows]
        valid = [entry["json"]["is_valid"] for entry in verdicts if isinstance(entry, dict) and _verdict(entry)]
        yield from ["never-approved"] * (bool(valid) and not any(valid))


def _verdict(entry: dict[str, Any]) -> bool:
    return isinstance(entry.get("json"), dict) and "is_valid" in entry["json"]
