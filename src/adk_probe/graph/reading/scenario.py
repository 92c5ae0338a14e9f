"""Scenarios: what the models, the people and the clock do while a graph runs.

A file is ``{"graph": name, "scenarios": [...]}``. ``docs/ir.md`` describes every key.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType, field, inspect

from adk_probe.errors import InputError
from adk_probe.graph import ir
from adk_probe.graph.ir import Graph, Written
from adk_probe.graph.query import agents_of, confirmed_tools, tools_of, walk
from adk_probe.graph.reading.jsontext import parse
from adk_probe.graph.reading.shape import BROKEN, Reader


class ToolCall(Written, frozen=True, kw_only=True):
    """A call of a tool that a model asks for. ``args`` is by parameter name (``node_input`` for a tool node)."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)


class Answer(Written, frozen=True, kw_only=True):
    """What a model answers to one call: exactly one of ``text``, ``json`` (sent as text), ``call`` and ``calls``.

    ``calls`` holds several tool calls at once. ``delay_seconds`` is how long the answer takes, in virtual seconds.
    """

    text: str | None = None
    json: Any | UnsetType = UNSET
    call: ToolCall | None = None
    calls: tuple[ToolCall, ...] = ()
    delay_seconds: float = 0.0

    @property
    def wishes(self) -> tuple[ToolCall, ...]:
        """The tool calls that the model asks for; empty if it answers with text."""
        return self.calls if self.call is None else (self.call,)


class Crash(Written, frozen=True, kw_only=True, rename={"pass_": "pass"}):
    """The process dies as soon as a node (or a loop's member, on its ``pass``) is done. Then the run is resumed."""

    after: str
    pass_: int | None = None


class Turn(Written, frozen=True, kw_only=True):
    """One message of a user, and everything that follows until the run ends.

    Attributes:
        input: the user's message.
        session: name of the session; sessions share nothing.
        answers: for each agent the answers to its model calls in this turn, in order. Surplus answers are allowed:
            they show that no further call was made.
        human: for each human input its answers in this turn, in order, as JSON values.
        tools: for each tool with an ``import`` its results in this turn, in order; not for the world's functions.
        confirm: for each tool that must be confirmed, a person's answers, in order.
        roles: the user's roles, as the host knows them; None means every role that the graph names. All turns of one
            session have the same roles.
        dry_run: whether the host has set the run-wide switch; all turns of one session have the same value.
        crash: where the process dies.
        restart: whether a new process resumes a paused run, from the stored session.
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
    """Turns in the order in which they begin. With ``at_once``, the sessions run side by side.

    ``world`` holds the arguments with which the file's world is set up before the first turn.
    """

    name: str
    turns: tuple[Turn, ...]
    description: str | None = None
    at_once: bool = False
    world: dict[str, Any] = field(default_factory=dict)


class RandomModels(Written, frozen=True, kw_only=True):
    """How many random models use the graph's tools, and the seed from which they are drawn."""

    examples: int
    seed: int = 0


class ScenarioFile(Written, frozen=True, kw_only=True):
    """A file of scenarios for one graph.

    ``world`` is the name of a Python module beside the file on which the tools act (see the module ``world``).
    ``random`` asks for random models too, which need a world.
    """

    graph: str
    scenarios: tuple[Scenario, ...]
    world: str | None = None
    random: RandomModels | None = None


def read_scenarios(data: bytes, name: str, graph: Graph | None = None) -> tuple[Scenario, ...]:
    """Read the scenarios of a file. See ``read_scenario_file``."""
    return read_scenario_file(data, name, graph).scenarios


def read_scenario_file(data: bytes, name: str, graph: Graph | None = None) -> ScenarioFile:
    """Read a scenario file.

    Args:
        data: the file's bytes.
        name: the file's name in messages.
        graph: if given, the names in the scenarios must be those of its agents, human inputs and tools.

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
        raise InputError(f"{name}: {len(faults)} fault(s)", "docs/ir.md describes the file.", faults=tuple(faults))
    return file


def _faults(file: ScenarioFile, graph: Graph | None) -> list[str]:
    faults: list[str] = []
    names = [scenario.name for scenario in file.scenarios]
    twice = sorted({name for name in names if names.count(name) > 1})
    faults += [f"scenario {name!a} appears more than once; rename one" for name in twice]
    for scenario in file.scenarios:
        for number, turn in enumerate(scenario.turns, start=1):
            where = f"{scenario.name} turn {number}"
            faults += _answer_faults(turn, where)
            first = next(other for other in scenario.turns if other.session == turn.session)
            if (turn.roles, turn.dry_run) != (first.roles, first.dry_run):
                faults.append(f"{where}: roles and dryRun must be the same in all turns of a session")
            if graph is not None:
                faults += _name_faults(turn, graph, where)
        if not scenario.turns:
            faults.append(f"{scenario.name}: turns is empty; add at least one")
    if file.random is not None and file.world is None:
        faults.append("random needs a world, whose state shows what the tools did; name one in world")
    if graph is not None and file.graph != graph.name:
        faults.append(f"these scenarios are for the graph {file.graph!a}, not for {graph.name!a}; correct graph")
    return faults


def _answer_faults(turn: Turn, where: str) -> list[str]:
    faults = []
    for agent, answers in turn.answers.items():
        for index, answer in enumerate(answers):
            if isinstance(answer, Answer):
                given = (answer.text is not None, answer.json is not UNSET, answer.call is not None, bool(answer.calls))
                if sum(given) != 1:
                    faults.append(f"{where}: answers.{agent}[{index}] needs exactly one of text, json, call and calls")
                if answer.delay_seconds < 0:
                    faults.append(f"{where}: answers.{agent}[{index}].delaySeconds must not be negative")
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
    what = {"confirm": "which is not a tool that a person must confirm"}
    return [
        f"{where}: {key} names {name!a}, {what.get(key, 'which the graph does not have')}"
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
