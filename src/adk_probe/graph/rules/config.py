"""Rules for single nodes and tools: bodies parse, numbers are in range, and named tools exist."""

from __future__ import annotations

from collections.abc import Iterator

from adk_probe.graph import ir
from adk_probe.graph.bodies import body_fault
from adk_probe.graph.guards import LADDER
from adk_probe.graph.index import GraphIndex, found
from adk_probe.graph.ir import Finding, Node
from adk_probe.graph.query import agents_of
from adk_probe.graph.reading.shape import show
from adk_probe.graph.rules.names import name_fault


def check_config(index: GraphIndex) -> Iterator[Finding]:
    """Yield all findings about the configuration of single nodes and tools."""
    for path, graph in index.graphs:
        for tool in graph.tools:
            yield from _tool(path, tool)
    for path, _, node in index.nodes:
        if path in index.faulty:
            continue
        if isinstance(node, ir.FunctionNode | ir.RouterNode | ir.ToolNode):
            names = node.config.parameters if isinstance(node, ir.FunctionNode) else ("node_input",)
            yield from _body(path, "config.body", node.config.body, names)
        if isinstance(node, ir.ToolNode):
            yield from _guard(path, "config.guard", node.config.guard)
        if isinstance(node, ir.LoopNode):
            yield from _loop(index, path, node)
        for name, agent in agents_of(node):
            yield from _agent(index, path, _place(node, name), agent)


def _place(node: Node, name: str) -> str:
    return f"config.{name.removeprefix(node.name + '_')}" if isinstance(node, ir.LoopNode) else "config"


def _tool(path: str, tool: ir.ToolDef) -> Iterator[Finding]:
    where = f"tool {show(tool.name)}"
    names = tuple(parameter.name for parameter in tool.parameters)
    if all(name_fault(name) is None for name in names) and len(set(names)) == len(names):
        yield from _body(path, f"{where}: body", tool.body, names)
    yield from _guard(path, f"{where}: guard", tool.guard)
    if tool.body is not None and tool.import_ is not None:
        yield found(path, "TOOL_BODY_AND_IMPORT", f"{where} has both a body and an import; remove one of them")
    if tool.import_ is not None:
        module, colon, function = tool.import_.partition(":")
        parts = [*module.split("."), function]
        if not colon or any(name_fault(part) for part in parts):
            text = f"{where}: import must be module:callable, not {show(tool.import_)}"
            yield found(path, "TOOL_BAD_IMPORT", text)
    optional = False
    for parameter in tool.parameters:
        if optional and not parameter.has_default:
            text = f"{where}: parameter {show(parameter.name)} follows one with a default; give it a default too"
            yield found(path, "TOOL_PARAMETER_ORDER", text)
        optional = optional or parameter.has_default


def _body(path: str, where: str, body: str | None, parameters: tuple[str, ...]) -> Iterator[Finding]:
    if body is not None and (fault := body_fault(body, parameters)):
        yield found(path, "BODY_SYNTAX", f"{where} is not a valid function body; correct this: {fault}")


def _guard(path: str, where: str, guard: ir.Guard | None) -> Iterator[Finding]:
    if guard is None or guard.role is None:
        return
    plain = guard.role.strip()
    if not plain:
        yield found(path, "GUARD_BAD_ROLE", f"{where}.role is empty; name a role, or remove the key")
    elif plain != guard.role or (plain.lower() in LADDER and plain not in LADDER):
        yield found(path, "GUARD_BAD_ROLE", f"{where}.role is {show(guard.role)}; write {plain.lower()!r}")


def _loop(index: GraphIndex, path: str, node: ir.LoopNode) -> Iterator[Finding]:
    loop = node.config
    if loop.max_iterations < 1:
        text = f"config.maxIterations must be an integer of at least 1, not {loop.max_iterations}"
        yield found(path, "LOOP_BAD_MAX_ITERATIONS", text)
    if loop.timeout_seconds is not None and loop.timeout_seconds <= 0:
        yield found(path, "LOOP_BAD_TIMEOUT", "config.timeoutSeconds must be more than 0")
    if loop.approval_phrase is not None and not loop.approval_phrase.strip():
        yield found(path, "LOOP_BAD_APPROVAL_PHRASE", "config.approvalPhrase must not be empty")
    if loop.critic.output_schema_ref in index.schemas:
        own = show(loop.critic.output_schema_ref)
        text = f"config.critic.outputSchemaRef must be str or {node.evaluation_name}, not {own}"
        yield found(path, "LOOP_CRITIC_OUTPUT", text)


def _agent(whole: GraphIndex, path: str, where: str, agent: ir.AgentConfig) -> Iterator[Finding]:
    for index, name in enumerate(agent.tools):
        entry = whole.by_name.get(name)
        is_tool = entry is not None and (isinstance(entry[2], ir.ToolNode) or entry[0] in whole.faulty)
        exits = name == ir.EXIT_TOOL and where == "config.critic"
        if name not in whole.tools and not is_tool and not exits:
            yield found(path, "UNKNOWN_TOOL", f"{where}.tools names {show(name)}, which is not a tool; declare it")
        if name in agent.tools[:index]:
            text = f"{where}.tools names {show(name)} more than once; name it once"
            yield found(path, "DUPLICATE_TOOL_REF", text)
    if agent.model_params is not None:
        yield from _params(path, f"{where}.modelParams", agent.model_params)


def _params(path: str, where: str, params: ir.ModelParams) -> Iterator[Finding]:
    faults = (
        (params.temperature is not None and params.temperature < 0, "temperature must not be negative"),
        (params.top_p is not None and not 0 <= params.top_p <= 1, "topP must be between 0 and 1"),
        (params.top_k is not None and params.top_k < 1, "topK must be at least 1"),
        (
            params.max_output_tokens is not None and params.max_output_tokens < 1,
            "maxOutputTokens must be at least 1",
        ),
    )
    for wrong, text in faults:
        if wrong:
            yield found(path, "BAD_MODEL_PARAM", f"{where}.{text}")
