"""Makes an example smaller by removing parts of it, after Hypothesis has shrunk how it was drawn."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from adk_probe.errors import InputError
from adk_probe.graph.ir import Graph
from adk_probe.graph.query import agents_of, tools_of, walk
from adk_probe.graph.reading.scenario import Scenario, read_scenarios
from adk_probe.graph.reference.interpreter import play
from adk_probe.graph.rules.validate import check

Json = dict[str, Any]

_DISPENSABLE = ("description", "modelParams", "tools", "emits", "guard", "mode", "timeoutSeconds", "onExhausted", "ui")
_TURN = ("crash", "restart", "tools", "human")


class Smaller(Struct, frozen=True):
    """A smaller example, with the attributes of ``scenarios.Example``."""

    ir_file: bytes
    scenario_file: bytes
    graph: Graph
    scenario: Scenario


def reduced(ir_file: bytes, scenario_file: bytes, fails: Callable[[Smaller], bool]) -> Smaller | None:
    """Remove every part of an example without which it still fails; return None if nothing can be removed.

    Args:
        ir_file: the graph.
        scenario_file: its scenario.
        fails: whether an example still fails; raises StopIteration to end the search.
    """
    found: Smaller | None = None
    value, played = json.loads(ir_file), json.loads(scenario_file)
    again = True
    while again:
        again = False
        for less, scenario in _candidates(value, played):
            example = _example(less, scenario)
            try:
                if example is not None and fails(example):
                    found, value, played, again = example, less, json.loads(example.scenario_file), True
                    break
            except StopIteration:
                return found
    return found


def _example(value: Json, played: Json) -> Smaller | None:
    """Return the example if it is valid and the reference can play it, else None."""
    data = json.dumps(value, indent=2).encode() + b"\n"
    graph, _ = check(data, "")
    if graph is None:
        return None
    nodes = [node for _, _, node in walk(graph)]
    known = {name for node in nodes for name, _ in agents_of(node)} | {node.name for node in nodes}
    known |= {tool.name for tool in tools_of(graph) if tool.import_ is not None}
    played = copy.deepcopy(played)
    for turn in played["scenarios"][0]["turns"]:
        for key in ("answers", "human", "tools"):
            if key in turn:
                turn[key] = {name: entries for name, entries in turn[key].items() if name in known}
    text = json.dumps(played, indent=2).encode() + b"\n"
    try:
        (scenario,) = read_scenarios(text, "", graph)
        play(graph, scenario)
    except InputError:
        return None
    return Smaller(data, text, graph, scenario)


def _candidates(value: Json, played: Json) -> Iterator[tuple[Json, Json]]:
    """Yield the example without one of its parts, large parts first."""
    scenario = played["scenarios"][0]
    for index in range(len(scenario["turns"]) if len(scenario["turns"]) > 1 else 0):
        yield value, _without(played, ("scenarios", 0, "turns"), index)
    for place in list(_graphs(value, ())):
        graph = _at(value, place)
        for index in range(len(graph["nodes"])):
            yield _without_node(value, place, index), played
        for key in ("edges", "schemas", "tools"):
            for index in range(len(graph.get(key, ()))):
                yield _without(value, (*place, key), index), played
        for index, node in enumerate(graph["nodes"]):
            yield from (
                (less, played) for less in _in_config(value, (*place, "nodes", index, "config"), node["config"])
            )
    for index, turn in enumerate(scenario["turns"]):
        for key in _TURN:
            if key in turn:
                yield value, _without(played, ("scenarios", 0, "turns", index), key)
    if "atOnce" in scenario:
        yield value, _without(played, ("scenarios", 0), "atOnce")


def _in_config(value: Json, place: tuple[Any, ...], config: Json) -> Iterator[Json]:
    for role in ("", "generator", "critic"):
        inner = config.get(role) if role else config
        if isinstance(inner, dict):
            here = (*place, role) if role else place
            yield from (_without(value, here, key) for key in _DISPENSABLE if key in inner)
            instruction = inner.get("instruction")
            if isinstance(instruction, dict):
                for index in range(len(instruction["segments"])):
                    yield _without(value, (*here, "instruction", "segments"), index)


def _graphs(graph: Json, place: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield place
    for index, node in enumerate(graph["nodes"]):
        if node["type"] == "workflow":
            yield from _graphs(node["config"]["graph"], (*place, "nodes", index, "config", "graph"))


def _without_node(value: Json, place: tuple[Any, ...], index: int) -> Json:
    """Return the file without a node; the edges into the node lead to its successors instead."""
    made = copy.deepcopy(value)
    graph = _at(made, place)
    node = graph["nodes"].pop(index)["id"]
    targets = [edge["to"] for edge in graph["edges"] if edge["from"] == node]
    edges: list[Json] = []
    for edge in graph["edges"]:
        after = [{**edge, "to": target} for target in targets] if edge["to"] == node else [edge]
        edges += [each for each in after if each["from"] != node and each not in edges]
    graph["edges"] = edges
    return made


def _without(value: Json, place: tuple[Any, ...], key: Any) -> Json:
    made = copy.deepcopy(value)
    del _at(made, place)[key]
    return made


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value
