"""What the templates show of agents."""

from __future__ import annotations

from dataclasses import dataclass

from adk_probe.codegen.source.literals import literal, one_line
from adk_probe.codegen.source.symbols import Symbols
from adk_probe.codegen.source.typing_names import Types
from adk_probe.graph import ir
from adk_probe.graph.index import GraphIndex
from adk_probe.graph.query import agents_of


@dataclass(frozen=True)
class AgentView:
    """An agent: its symbol in ``agents`` and the expressions of its arguments.

    Attributes:
        instruction: one expression a segment.
        takes: type of its input, ``arrives`` of what the step before it hands on,
            ``gives`` of its answer, checked if ``structured``.
        fails: name of the step that fails when the answer is rubbish.
        tools: symbols of the module ``tools``; ``tool_names`` are what models call them.
        loop: name of the loop that it belongs to, or empty.
    """

    symbol: str
    name: str
    model: str
    doc: str
    instruction: tuple[str, ...]
    takes: str
    arrives: str
    gives: str
    structured: bool
    critic: bool
    fails: str
    params: tuple[tuple[str, str], ...]
    tools: tuple[str, ...]
    tool_names: tuple[str, ...]
    loop: str


def agent_views(index: GraphIndex, names: dict[str, Symbols], write_type: Types) -> list[AgentView]:
    """Every agent, those of loops included, in file order."""
    made: list[AgentView] = []
    for _, home, node in index.nodes:
        for name, config in agents_of(node):
            gives, loop = config.output_schema_ref, ""
            arrives = index.types[node.name].arrives
            if isinstance(node, ir.LoopNode):
                loop = node.name
                gives = node.evaluation_name if name == node.member("critic") else node.config.payload_type
            instruction = tuple(_segment(segment, name, index, home) for segment in config.instruction.segments)
            made.append(_agent(name, config, gives, loop, instruction, arrives, names, write_type))
    return made


def _agent(
    name: str,
    config: ir.AgentConfig,
    gives: str,
    loop: str,
    instruction: tuple[str, ...],
    arrives: str,
    names: dict[str, Symbols],
    write_type: Types,
) -> AgentView:
    params = config.model_params or ir.ModelParams()
    given = {
        "temperature": params.temperature,
        "top_p": params.top_p,
        "top_k": params.top_k,
        "max_output_tokens": params.max_output_tokens,
    }
    takes = config.input_schema_ref or "str"
    critic = bool(loop) and name == f"{loop}_critic"
    return AgentView(
        symbol=names["agents"][name],
        name=name,
        model=literal(config.model),
        doc=one_line(f"What {name} is told."),
        instruction=instruction,
        takes=write_type(takes),
        arrives=write_type(arrives),
        gives=write_type(gives),
        structured=gives != "str",
        critic=critic,
        fails=loop if critic else name,
        params=tuple((key, literal(value)) for key, value in given.items() if value is not None),
        tools=tuple(names["tools"][tool] for tool in config.tools),
        tool_names=config.tools,
        loop=loop,
    )


def _segment(segment: ir.Segment, agent: str, index: GraphIndex, home: ir.Graph) -> str:
    if isinstance(segment, ir.TextSegment):
        return literal(segment.value)
    where = "given"
    if segment.via == "state":
        entry = index.source(home, segment.source)
        source = entry[2].name if entry is not None else segment.source
        where = f"state.get({literal(source + '_output')})"
    return f"prompts.part_of({where}, {literal(segment.field)}, {literal(agent)})"
