"""What every mechanism is: it says what it cannot express, and renders the rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, Protocol, runtime_checkable

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from adk_probe.codegen.literals import literal, tuple_literal
from adk_probe.codegen.render import Renderer
from adk_probe.codegen.views import Views
from adk_probe.graph import ir
from adk_probe.graph.flow import Ways
from adk_probe.graph.ir import Finding, Graph
from adk_probe.graph.query import agents_of, confirmed_tools, has_exit, in_flow, schemas_of, tools_of, walk
from adk_probe.graph.values import stub
from adk_probe.graph.whole import Whole

Asks = Literal["always", "resumable", "never"]
"""``resumable``: in a resumable app only."""

CANNOT_EXPRESS = "MECHANISM_CANNOT_EXPRESS"


class Mechanism(Protocol):
    """One way to generate a project with loops. A module of this package holds one as ``MECHANISM``."""

    @property
    def name(self) -> str:
        """What users call it, such as ``loop-agent``."""

    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:
        """What in a valid graph this mechanism has no way to generate, each naming its node and the mechanism.

        Args:
            graph: a valid graph.
            release: version of google-adk; None asks only for what no release can express.
        """

    def files(self, views: Views, render: Renderer) -> dict[str, str]:
        """The files that differ from mechanism to mechanism: path in the project to unformatted text."""

    def in_state(self, views: Views) -> frozenset[str]:
        """Names of the agents whose input a step before them puts into session state."""

    def once(self, views: Views) -> frozenset[str]:
        """Names of the agents that must be kept from answering again when a run is resumed."""

    def output_keys(self, views: Views) -> dict[str, str]:
        """For each agent that leaves its answer in session state the key under which it does."""

    @property
    def on_request(self) -> bool:
        """Whether it is taken only by who asks for it by name, since its projects are used in another way."""

    @property
    def asks(self) -> Asks:
        """When a run can pause inside of a tool's call, for a person to confirm it, and go on from there."""

    @property
    def engine_exit(self) -> bool:
        """Whether a loop is ended by the engine's own ``exit_loop``, which escalates."""


@dataclass(frozen=True)
class Sample:
    """What a smoke test plays: ``answers`` by agent, as an expression, and the user's words."""

    answers: str
    request: str


@runtime_checkable
class WholeProject(Protocol):
    """A mechanism on another engine, which shares no file with those on google-adk: it brings all of a project."""

    @property
    def name(self) -> str:
        """What users call it."""

    @property
    def on_request(self) -> bool:
        """See ``Mechanism``."""

    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:
        """See ``Mechanism``; ``release`` is one of its own engine."""

    def project(self, views: Views, render: Renderer, sample: Sample) -> dict[str, str]:
        """All files: path in the project to unformatted text."""


def finding(mechanism: str, path: str, reason: str) -> Finding:
    """A finding that the mechanism cannot express the node at ``path``."""
    name = path.rpartition("/")[2] or "the graph"
    return Finding(path=path, code=CANNOT_EXPRESS, message=f"{mechanism} cannot express {name}: {reason}")


def wrong_release(mechanism: str, release: str | None, wanted: str, engine: str = "google-adk") -> list[Finding]:
    """A finding if the release is outside of the range in which the mechanism exists at all."""
    if release is None:
        return []
    try:
        inside = SpecifierSet(wanted).contains(Version(release), prereleases=True)
    except InvalidVersion:
        return [finding(mechanism, "", f"{release!r} is no version")]
    return [] if inside else [finding(mechanism, "", f"it needs {engine} {wanted}, this is {release}")]


_PYDANTIC = frozenset(
    {
        "model_computed_fields",
        "model_config",
        "model_construct",
        "model_copy",
        "model_dump",
        "model_dump_json",
        "model_extra",
        "model_fields",
        "model_fields_set",
        "model_json_schema",
        "model_parametrized_name",
        "model_post_init",
        "model_rebuild",
        "model_validate",
        "model_validate_json",
        "model_validate_strings",
    }
)


def pydantic_names(mechanism: str, graph: Graph) -> list[Finding]:
    """Findings about names of fields that a pydantic model cannot have."""
    return [
        finding(mechanism, "", f"pydantic keeps the field name {part.name!r} for itself, in the schema {schema.name}")
        for schema in schemas_of(graph)
        for part in schema.fields
        if part.name in _PYDANTIC
    ]


def _kept_names(mechanism: str, graph: Graph) -> list[Finding]:
    return pydantic_names(mechanism, graph) + [
        finding(
            mechanism, "", f"the engine keeps the parameter name 'tool_context' for itself, in the tool {tool.name}"
        )
        for tool in tools_of(graph)
        if any(item.name == "tool_context" for item in tool.parameters)
    ]


def engine_names(mechanism: str, graph: Graph, *, every_node: bool) -> list[Finding]:
    """Findings about names that the engine keeps for itself: no agent may be called ``user``."""
    found = _kept_names(mechanism, graph)
    for path, _, node in walk(graph):
        agent = every_node or isinstance(node, ir.AgentNode)
        if agent and node.name == "user":
            found.append(finding(mechanism, path, "the engine keeps the name 'user' for the person"))
    return found


def confirmations(mechanism: str, graph: Graph, asks: Asks) -> list[Finding]:
    """Findings about tools that must be confirmed where no release can ask, or none gets it right.

    A step of the graph has no model's call to hold back. Of two answers in one message a workflow takes the first, and
    a parallel agent goes on with the other's place empty, so agents must not wait for a person at the same time.
    """
    whole, confirmed = Whole(graph), confirmed_tools(graph)
    found = [
        finding(mechanism, path, "a step cannot ask for its own confirmation")
        for path, home, node in whole.nodes
        if isinstance(node, ir.ToolNode) and node.name in confirmed and in_flow(home, node)
    ]
    if asks == "never":
        return found
    waits = [entry for entry in whole.nodes if any(confirmed & set(agent.tools) for _, agent in agents_of(entry[2]))]
    for (_, home, node), (path, other_home, other) in combinations(waits, 2):
        ordered = whole.is_ancestor(node, other_home, other) or whole.is_ancestor(other, home, node)
        shut = home is other_home and Ways(home).exclusive(node.id, other.id)
        if not ordered and not shut:
            found.append(finding(mechanism, path, f"it and {node.name} may wait for a person at the same time"))
    return found


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


def loop_rules(node: ir.LoopNode, views: Views) -> str:
    """The expression that makes the ``Loop`` of a loop node."""
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
    return f"loops.Loop({', '.join(f'{key}={value}' for key, value in parts.items())})"


def loop_agents(node: ir.LoopNode, views: Views) -> str:
    """The keyword arguments that name a loop's agents."""
    symbols = views.names["agents"]
    parts = {role: f"agents.{symbols[node.member(role)]}" for role, _ in node.members}
    return ", ".join(f"{role}={parts[role]}" for role in ("generator", "critic", "reviser") if role in parts)
