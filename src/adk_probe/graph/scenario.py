"""Scenarios: what the models, the people and the clock do while a graph runs.

A file is ``{"graph": name, "scenarios": [...]}``; ``docs/ir.md`` shows one with every key.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType, field, inspect

from adk_probe.errors import InputError
from adk_probe.graph import ir
from adk_probe.graph.ir import Graph, Written
from adk_probe.graph.jsontext import parse
from adk_probe.graph.query import agents_of, confirmed_tools, tools_of, walk
from adk_probe.graph.shape import BROKEN, Reader


class ToolCall(Written, frozen=True, kw_only=True):
    """A model's wish to call a tool; ``args`` by parameter name (``node_input`` of a tool node)."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)


class Answer(Written, frozen=True, kw_only=True):
    """What a model answers to one call: exactly one of ``text``, ``json`` (said as text), ``call`` and ``calls``.

    ``calls`` are several calls of tools at once. ``delay_seconds`` is how long the answer takes, in virtual seconds.
    """

    text: str | None = None
    json: Any | UnsetType = UNSET
    call: ToolCall | None = None
    calls: tuple[ToolCall, ...] = ()
    delay_seconds: float = 0.0

    @property
    def wishes(self) -> tuple[ToolCall, ...]:
        """The calls of tools that the model wishes for; none where it says something."""
        return self.calls if self.call is None else (self.call,)


class Crash(Written, frozen=True, kw_only=True, rename={"pass_": "pass"}):
    """The process dies once a node (or loop member, on its ``pass``) is done, and the run is resumed."""

    after: str
    pass_: int | None = None


class Turn(Written, frozen=True, kw_only=True):
    """One message of a user and all that follows until the run ends.

    Attributes:
        input: what the user says.
        session: whose turn it is; sessions share nothing.
        answers: for each agent the answers of its calls in this turn, in order. More than are asked for are no
            fault: they show that nobody asked.
        human: for each human input its answers in this turn, in order; JSON values.
        tools: for each tool with an ``import`` its results in this turn, in order; not for what a world brings.
        confirm: for each tool that must be confirmed what a person says when asked, in order.
        roles: of the user, as the host knows them; None gives every role that the graph names. One session's turns
            have the same.
        dry_run: whether the host has set the run-wide switch; one session's turns have the same.
        crash: where the process dies.
        restart: whether a run that paused is resumed by a new process over the stored session.
    """

    input: str
    session: str = "s"
    answers: dict[str, tuple[str | Answer, ...]] = field(default_factory=dict)
    human: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    tools: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    confirm: dict[str, tuple[bool, ...]] = field(default_factory=dict)
    roles: tuple[str, ...] | None = None
    dry_run: bool = False
    crash: Crash | None = None
    restart: bool = False


class Scenario(Written, frozen=True, kw_only=True):
    """Turns in the order in which they begin; ``at_once`` runs the sessions side by side.

    ``world`` is what the file's world module is set up with before the first turn.
    """

    name: str
    turns: tuple[Turn, ...]
    description: str | None = None
    at_once: bool = False
    world: dict[str, Any] = field(default_factory=dict)


class RandomModels(Written, frozen=True, kw_only=True):
    """How many random models are let loose on the graph's tools, and the seed they are drawn from."""

    examples: int
    seed: int = 0


class ScenarioFile(Written, frozen=True, kw_only=True):
    """A file of scenarios for one graph.

    ``world`` is the name of a Python module beside the file that stands for what tools act on (``world``);
    ``random`` asks for random models too, which need a world.
    """

    graph: str
    scenarios: tuple[Scenario, ...]
    world: str | None = None
    random: RandomModels | None = None


def read_scenarios(data: bytes, name: str, graph: Graph | None = None) -> tuple[Scenario, ...]:
    """Read the scenarios of a file; see ``read_scenario_file``."""
    return read_scenario_file(data, name, graph).scenarios


def read_scenario_file(data: bytes, name: str, graph: Graph | None = None) -> ScenarioFile:
    """Read a scenario file.

    Args:
        data: the file's bytes.
        name: what messages call the file.
        graph: where given, the names in the scenarios must be those of its agents, people and tools.

    Raises:
        InputError: with every fault of the file.
    """
    value, findings = parse(data, name)
    file: Any = BROKEN
    if value is not BROKEN:
        file = Reader(findings, 2).read(value, inspect.type_info(ScenarioFile), "", "")
    faults = [finding.message for finding in findings]
    if isinstance(file, ScenarioFile):
        faults += _faults(file, graph)
    if faults or not isinstance(file, ScenarioFile):
        raise InputError(f"{name}: {len(faults)} fault(s)", faults=tuple(faults))
    return file


def _faults(file: ScenarioFile, graph: Graph | None) -> list[str]:
    faults: list[str] = []
    names = [scenario.name for scenario in file.scenarios]
    faults += [f"scenario {name!a} is there twice" for name in sorted({n for n in names if names.count(n) > 1})]
    for scenario in file.scenarios:
        for number, turn in enumerate(scenario.turns, start=1):
            where = f"{scenario.name} turn {number}"
            faults += _answer_faults(turn, where)
            first = next(other for other in scenario.turns if other.session == turn.session)
            if (turn.roles, turn.dry_run) != (first.roles, first.dry_run):
                faults.append(f"{where}: roles and dryRun are those of its session's first turn, or absent everywhere")
            if graph is not None:
                faults += _name_faults(turn, graph, where)
        if not scenario.turns:
            faults.append(f"{scenario.name}: there is no turn")
    if file.random is not None and file.world is None:
        faults.append("random needs a world, which shows what the tools did")
    if graph is not None and file.graph != graph.name:
        faults.append(f"these are scenarios for {file.graph!a}, not for {graph.name!a}")
    return faults


def _answer_faults(turn: Turn, where: str) -> list[str]:
    faults = []
    for agent, answers in turn.answers.items():
        for index, answer in enumerate(answers):
            if isinstance(answer, Answer):
                given = (answer.text is not None, answer.json is not UNSET, answer.call is not None, bool(answer.calls))
                if sum(given) != 1:
                    faults.append(f"{where}: answers.{agent}[{index}] needs one of text, json, call and calls")
                if answer.delay_seconds < 0:
                    faults.append(f"{where}: answers.{agent}[{index}].delaySeconds is negative")
    return faults


def _name_faults(turn: Turn, graph: Graph, where: str) -> list[str]:
    nodes = [node for _, _, node in walk(graph)]
    agents = {name for node in nodes for name, _ in agents_of(node)}
    known = {
        "answers": agents,
        "human": {node.name for node in nodes if isinstance(node, ir.HumanInputNode)},
        "tools": {tool.name for tool in tools_of(graph) if tool.import_ is not None},
        "confirm": set(confirmed_tools(graph)),
        "crash.after": agents | {node.name for node in nodes},
    }
    used = {
        "answers": set(turn.answers),
        "human": set(turn.human),
        "tools": set(turn.tools),
        "confirm": set(turn.confirm),
        "crash.after": {turn.crash.after} if turn.crash else set(),
    }
    what = {"confirm": "which is no tool that a person must confirm"}
    return [
        f"{where}: {key} names {name!a}, {what.get(key, 'which the graph has not')}"
        for key in known
        for name in sorted(used[key] - known[key])
    ]


__all__ = [
    "Answer",
    "Crash",
    "Scenario",
    "ScenarioFile",
    "ToolCall",
    "Turn",
    "read_scenario_file",
    "read_scenarios",
]
