"""The graphs and scenarios that fidelity runs play: all are good, and together they cover what they must."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graph_samples import FILES

from adk_probe.graph import ir
from adk_probe.graph.ir import Graph
from adk_probe.graph.query import walk
from adk_probe.graph.reading.scenario import Scenario, ScenarioFile, read_scenario_file
from adk_probe.graph.reference.interpreter import play
from adk_probe.graph.reference.trace import Trace, canonical, order_faults
from adk_probe.graph.reference.world import load_world
from adk_probe.graph.rules.validate import check


def both(path: Path) -> tuple[Graph, ScenarioFile]:
    graph, findings = check(path.read_bytes(), path.name)
    assert graph is not None, [str(each) for each in findings]
    other = path.with_name(path.name.replace(".ir.", ".scenarios."))
    return graph, read_scenario_file(other.read_bytes(), other.name, graph)


def played(path: Path, graph: Graph, file: ScenarioFile, scenario: Scenario, *, asks: bool = True) -> Trace:
    world = load_world(path.parent, file.world) if file.world is not None else None
    return play(graph, scenario, world, asks=asks)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_graph_and_its_scenarios(path: Path) -> None:
    graph, file = both(path)
    assert graph.name == path.name.removesuffix(".ir.json").replace("-", "_")
    for scenario in file.scenarios:
        for asks in (True, False):
            trace = played(path, graph, file, scenario, asks=asks)
            assert trace == played(path, graph, file, scenario, asks=asks)
            assert json.loads(json.dumps(canonical(trace, graph)))
            assert json.loads(json.dumps(trace.world)) == trace.world
            for turn in trace.turns:
                assert order_faults(turn.steps, graph) == []


def test_no_scenario_file_lacks_its_graph() -> None:
    files = {path.name.replace(".ir.", ".scenarios.") for path in FILES}
    assert {path.name for path in FILES[0].parent.glob("*.scenarios.json")} == files


def test_together_they_show_every_node_type_end_and_error() -> None:
    kinds: set[str] = set()
    versions: set[str] = set()
    ends: set[str] = set()
    errors: set[str] = set()
    decisions: set[str] = set()
    for path in FILES:
        graph, file = both(path)
        kinds |= {type(node).__name__ for _, _, node in walk(graph)}
        versions.add(graph.ir_version[:3])
        for scenario in file.scenarios:
            for turn in played(path, graph, file, scenario).turns:
                ends |= {loop.end for loop in turn.loops}
                errors |= {turn.error.code} if turn.error else set()
                decisions |= {entry["decision"] for entry in turn.journal}
    assert len(kinds) == 8
    assert versions == {"0.1", "0.2"}
    assert ends == {"approved", "exhausted", "timed_out"}
    assert errors == {
        "AGENT_BAD_OUTPUT",
        "HUMAN_BAD_ANSWER",
        "LOOP_BAD_CRITIC",
        "LOOP_EXHAUSTED",
        "LOOP_TIMED_OUT",
        "ROUTER_BAD_ROUTE",
        "TOOL_NOT_PERMITTED",
    }
    assert decisions == {"asked", "denied", "failed", "planned", "ran", "refused", "rejected", "unknown"}


def test_one_graph_has_every_node_type() -> None:
    path = next(path for path in FILES if path.name.startswith("all-nodes"))
    kinds = {type(node) for _, _, node in walk(both(path)[0])}
    assert kinds == {
        ir.AgentNode,
        ir.FunctionNode,
        ir.RouterNode,
        ir.ToolNode,
        ir.JoinNode,
        ir.HumanInputNode,
        ir.WorkflowNode,
        ir.LoopNode,
    }


def steps(stem: str, name: str, turn: int = 1) -> list[tuple[object, ...]]:
    """The canonical steps of a scenario: path, pass, input, output, route."""
    path = next(path for path in FILES if path.name == f"{stem}.ir.json")
    graph, file = both(path)
    scenario = next(each for each in file.scenarios if each.name == name)
    seen = canonical(played(path, graph, file, scenario), graph)["turns"][turn - 1]["steps"]
    return [tuple(step[key] for key in ("path", "pass", "input", "output", "route")) for step in seen]


def test_all_nodes_step_by_step() -> None:
    task = {"topic": "Glaciers", "depth": 8, "due": None}
    gathered = '{"research": "ice is cold", "opinion": "nice"}'
    bad, good = {"is_valid": False, "feedback": "more 1"}, {"is_valid": True, "feedback": "good 2"}
    assert steps("all-nodes", "deep") == [
        ("parse_task", None, "Glaciers", task, None),
        ("by_depth", None, task, task, "deep"),
        ("confirm", None, task, "yes", None),
        ("research/facts", None, "yes", "ice  is\n cold", None),
        ("research/tidy", None, "ice  is\n cold", "ice is cold", None),
        ("research", None, "yes", "ice is cold", None),
        ("opinion", None, "yes", "nice", None),
        ("gather", None, *[{"research": "ice is cold", "opinion": "nice"}] * 2, None),
        ("draft_loop/draft_loop_generator", 1, {"request": gathered}, "d1", None),
        ("draft_loop/draft_loop_critic", 1, {"request": gathered, "draft": "d1"}, bad, None),
        (
            "draft_loop/draft_loop_generator",
            2,
            {"request": gathered, "draft": "d1", "feedback": "more 1"},
            "d2",
            None,
        ),
        ("draft_loop/draft_loop_critic", 2, {"request": gathered, "draft": "d2"}, good, None),
        ("draft_loop", None, gathered, "d2", None),
        ("publish", None, "d2", "Published: d2", None),
    ]


def test_a_loop_with_a_reviser_step_by_step() -> None:
    def article(text: str) -> dict[str, object]:
        return {"outline": {"title": "Bees", "sections": 1}, "text": text, "tags": None, "score": 0.5}

    def critic(count: int, status: str, feedback: str) -> tuple[object, ...]:
        taken = {"request": "Bees", "draft": article(f"t{count}")}
        return ("write/write_critic", count, taken, {"status": status, "feedback": feedback}, None)

    def reviser(count: int, feedback: str) -> tuple[object, ...]:
        taken = {"request": "Bees", "draft": article(f"t{count - 1}"), "feedback": feedback}
        return ("write/write_reviser", count, taken, article(f"t{count}"), None)

    assert steps("article-loop", "approved-on-pass-3") == [
        ("write/write_generator", 1, {"request": "Bees"}, article("t1"), None),
        critic(1, "REVISE", "longer"),
        reviser(2, "longer"),
        critic(2, "REVISE", "shorter"),
        reviser(3, "shorter"),
        critic(3, " APPROVED\n", "good"),
        ("write", None, "Bees", article("t3"), None),
        ("headline", None, article("t3"), "Head", None),
    ]


def test_a_nested_loop_that_fails_step_by_step() -> None:
    assert steps("nested", "critic-answers-rubbish") == [
        ("outer/prepare", None, "Rain", "rain", None),
        ("outer/inner/frame", None, "rain", "<rain>", None),
        ("outer/inner/inner_loop/inner_loop_generator", 1, {"request": "<rain>"}, "d1", None),
    ]
