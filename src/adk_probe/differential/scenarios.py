"""Random scenarios for a graph: what models and people answer in each turn of each session."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import assume
from hypothesis import strategies as st
from msgspec import Struct

from adk_probe.differential.dice import Dice, Json
from adk_probe.differential.flows import Flows
from adk_probe.errors import InputError
from adk_probe.graph import ir
from adk_probe.graph.ir import SCALARS, START
from adk_probe.graph.query import agents_of, confirmed_tools, graphs_of, schemas_of, tools_of, walk
from adk_probe.graph.reading.scenario import Scenario, read_scenarios
from adk_probe.graph.reference.interpreter import play
from adk_probe.graph.reference.trace import TurnTrace
from adk_probe.graph.rules.validate import check

RUBBISH = ("", "no JSON", "[]", "{", 'Here: {"is_valid": true}', '{"is_valid": "yes", "feedback": 1}', "null")


class Example(Struct, frozen=True):
    """A graph and a scenario for it, as file content and as parsed values."""

    ir_file: bytes
    scenario_file: bytes
    graph: ir.Graph
    scenario: Scenario


class Answers:
    """Draws the answers of all agents, people and tools of a graph."""

    def __init__(self, dice: Dice, graph: ir.Graph) -> None:
        self.dice = dice
        self.graph = graph
        self.schemas: dict[str, Json] = {schema.name: msgspec.to_builtins(schema) for schema in schemas_of(graph)}
        self.delays = any(
            isinstance(node, ir.LoopNode) and node.config.timeout_seconds is not None for _, _, node in walk(graph)
        )

    def turn(self, session: str) -> Json:
        """Make a turn with more answers than the run can ask for."""
        turn: Json = {"session": session, "input": self._words(), "answers": {}}
        human: Json = {}
        for _, _, node in walk(self.graph):
            if isinstance(node, ir.AgentNode):
                answer = self._answer(node.config.output_schema_ref, node.config)
                turn["answers"][node.name] = [*answer, "never asked for"]
            elif isinstance(node, ir.LoopNode):
                turn["answers"] |= self._loop(node)
            elif isinstance(node, ir.HumanInputNode):
                human[node.name] = [self._human(node.config.response_schema_ref)]
        tools = {
            tool.name: [self.dice.value(tool.returns, self.schemas) for _ in range(12)]
            for tool in tools_of(self.graph)
            if tool.import_ is not None
        }
        confirm = {name: [self.dice.chance(70) for _ in range(12)] for name in sorted(confirmed_tools(self.graph))}
        parts = {"human": human, "tools": tools, "confirm": confirm}
        return turn | {key: part for key, part in parts.items() if part}

    def _words(self) -> str:
        """Return the user's message: in most draws, one that the first steps can take."""
        wanted = [kind for kind in _first_types(self.graph) if kind != "str"]
        if wanted and self.dice.chance(90):
            value = self.dice.value(self.dice.one(wanted), self.schemas, loose=True, misses=3)
            return value if isinstance(value, str) else json.dumps(value)
        return self.dice.text()

    def _loop(self, node: ir.LoopNode) -> Json:
        config = node.config
        good = self.dice.number(1, config.max_iterations + 1)
        answers: Json = {node.member(role): [] for role, _ in node.members}
        for number in range(1, config.max_iterations + 1):
            role: ir.Role = "generator" if number == 1 or config.reviser is None else "reviser"
            maker = config.reviser if role == "reviser" and config.reviser is not None else config.generator
            answers[node.member(role)] += self._answer(config.payload_type, maker)
            answers[node.member("critic")] += self._verdict(node, number >= good)
        return {name: [*entries, "one too many"] for name, entries in answers.items()}

    def _verdict(self, node: ir.LoopNode, approves: bool) -> list[Any]:
        phrase = node.config.approval_phrase
        if phrase is None:
            verdict: Json = {"is_valid": approves}
        else:
            verdict = {"status": (f" {phrase} " if self.dice.chance(20) else phrase) if approves else "not yet"}
        verdict["feedback"] = self.dice.text()
        return [*self._calls(node.config.critic), self._slow(self._said(verdict))]

    def _answer(self, kind: str, config: ir.AgentConfig) -> list[Any]:
        """Return the answers for one run of an agent: tool calls first, then its text."""
        calls = self._calls(config)
        if kind == "str":
            text = "" if self.dice.chance(2) else self.dice.text()
            return [*calls, self._slow({"text": text})]
        return [*calls, self._slow(self._said(self.dice.value(kind, self.schemas, loose=True, misses=2)))]

    def _said(self, value: Any) -> Json:
        if self.dice.chance(6):
            return {"text": self.dice.one(RUBBISH)}
        if self.dice.chance(20):
            text = json.dumps(value, indent=self.dice.one((None, 2)))
            return {"text": f"```{self.dice.one(('json', '', 'JSON'))}\n{text}\n```\n"}
        return {"json": value}

    def _slow(self, answer: Json) -> Any:
        # delays are whole seconds and time limits are not, so that no answer comes exactly at the limit
        if self.delays and self.dice.chance(40):
            return {**answer, "delaySeconds": self.dice.one((1, 2, 5, 9))}
        return answer["text"] if answer.keys() == {"text"} and self.dice.chance(70) else answer

    def _calls(self, config: ir.AgentConfig) -> list[Json]:
        if not config.tools or not self.dice.chance(75):
            return []
        calls = [self._call(self.dice.one(config.tools)) for _ in range(self.dice.number(1, 2))]
        if len(calls) > 1 and self.dice.chance(30):
            return [{"calls": [call["call"] for call in calls]}]
        return calls

    def _call(self, name: str) -> Json:
        tool = next((each for each in tools_of(self.graph) if each.name == name), None)
        args: Json = {}
        if tool is None:
            node = next(node for _, _, node in walk(self.graph) if node.name == name)
            assert isinstance(node, ir.ToolNode)
            args["node_input"] = self.dice.value(node.config.input_type, self.schemas)
        else:
            for parameter in tool.parameters:
                if not parameter.has_default or self.dice.chance(60):
                    args[parameter.name] = self.dice.value(parameter.type, self.schemas)
        return {"call": {"tool": name, "args": args}}

    def _human(self, kind: str | None) -> Any:
        if kind is None:
            return self.dice.value(self.dice.one(("str", *SCALARS, *self.schemas)), self.schemas)
        if self.dice.chance(12):
            return self.dice.one((*RUBBISH, 3))
        value = self.dice.value(kind, self.schemas, loose=True, misses=4)
        return json.dumps(value) if kind in self.schemas and self.dice.chance(20) else value


def _first_types(graph: ir.Graph) -> list[str]:
    """Return the types that the steps after ``START`` take."""
    found = []
    for edge in graph.edges:
        node = graph.node(edge.to) if edge.from_ == START else None
        if isinstance(node, ir.WorkflowNode):
            found += _first_types(node.config.graph)
        elif node is not None:
            config: Any = node.config
            for key in ("input_type", "input_schema_ref", "payload_ref"):
                found += [kind] if (kind := getattr(config, key, None)) else []
    return found


def splits(graph: ir.Graph) -> bool:
    """Whether several steps of the graph, nested ones included, can be in progress at the same time."""
    for _, inner in graphs_of(graph):
        ways = [(edge.from_, edge.route) for edge in inner.edges]
        if len(ways) != len(set(ways)):
            return True
    return False


def _reversed(graph: ir.Graph) -> ir.Graph:
    """Return the graph with its nodes, and those of nested graphs, in reverse file order."""
    nodes: list[ir.Node] = []
    for node in reversed(graph.nodes):
        if isinstance(node, ir.WorkflowNode):
            config = msgspec.structs.replace(node.config, graph=_reversed(node.config.graph))
            nodes.append(msgspec.structs.replace(node, config=config))
        else:
            nodes.append(node)
    return msgspec.structs.replace(graph, nodes=tuple(nodes))


def _settled(graph: ir.Graph, made: Json) -> Json:
    """Remove the turns of a scenario whose result the semantics leave open, because branches run side by side.

    If two branches fail, either may fail first, and later turns show how far the other one came.
    """
    ends = [turn.error for turn in _turns(graph, made)]
    others = [turn.error for turn in _turns(_reversed(graph), made)]
    if len(ends) != len(others) or not ends:
        return made
    turns: list[Json] = []
    failed: set[str] = set()
    for turn, end, other in zip(made["turns"], ends, others, strict=True):
        if turn["session"] in failed:
            continue
        both = [(error.code, error.path) if error else None for error in (end, other)]
        failed |= {turn["session"]} if end or other else set()
        assume(both[0] == both[1])
        turns.append(turn)
    return {**made, "turns": turns}


def _scenario(dice: Dice, graph: ir.Graph) -> Json:
    answers = Answers(dice, graph)
    sessions = dice.one((["s"], ["s", "s"], ["s", "t"], ["s", "t", "s"]) if dice.chance(40) else (["s"],))
    made: Json = {"name": "drawn", "turns": [answers.turn(session) for session in sessions]}
    if len(set(sessions)) > 1 and not answers.delays and dice.chance(50):
        made["atOnce"] = True
    elif any(isinstance(node, ir.HumanInputNode) for _, _, node in walk(graph)) and dice.chance(25):
        made["turns"][0]["restart"] = True
    return made


def _crashing(dice: Dice, graph: ir.Graph, made: Json) -> Json:
    """Return the scenario with a crash after one of its steps."""
    names = {path: node.name for path, _, node in walk(graph) if not isinstance(node, ir.WorkflowNode | ir.JoinNode)}
    names |= {f"{path}/{name}": name for path, _, node in walk(graph) for name, _ in agents_of(node)}
    steps = [step for turn in _turns(graph, made)[:1] for step in turn.steps if step.path in names]
    if not steps:
        return made
    step = dice.one(steps)
    crash: Json = {"after": names[step.path]} | ({} if step.pass_ is None else {"pass": step.pass_})
    return {**made, "turns": [{**made["turns"][0], "crash": crash}, *made["turns"][1:]]}


def _turns(graph: ir.Graph, made: Json) -> tuple[TurnTrace, ...]:
    """Return the turns as the reference plays them; none if it breaks, which the comparison then reports."""
    try:
        return play(graph, _read(graph, made)).turns
    except InputError:
        raise
    except Exception:
        return ()


def _read(graph: ir.Graph, made: Json) -> Scenario:
    return read_scenarios(_file(graph, made), "the scenario", graph)[0]


def _file(graph: ir.Graph, made: Json) -> bytes:
    return json.dumps({"graph": graph.name, "scenarios": [made]}, indent=2).encode() + b"\n"


@st.composite
def examples(draw: st.DrawFn) -> Example:
    """Draw a valid graph with a scenario that the reference can play."""
    dice = Dice(draw)
    data = json.dumps(Flows(dice).outermost(), indent=2).encode() + b"\n"
    graph, findings = check(data, "the graph")
    if graph is None:
        hint = "Correct the module flows: it must draw valid graphs only."
        raise InputError("an invalid graph was drawn", hint, tuple(str(finding) for finding in findings))
    made = _scenario(dice, graph)
    if splits(graph):
        # with branches side by side, what a resumed run does again after a crash is open too
        made = _settled(graph, made)
    elif not made.get("atOnce") and dice.chance(15):
        made = _crashing(dice, graph, made)
    return Example(data, _file(graph, made), graph, _read(graph, made))
