"""Jobs for the fidelity runner, and how it compares."""

from __future__ import annotations

import copy
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from codegen_samples import FILES, ROOT, graph_file

from adk_probe.generate.jobs import RANDOM, fidelity_job
from adk_probe.graph.reading.scenario import read_scenario_file
from adk_probe.graph.reference.world import load_world
from adk_probe.project import fidelity_cells


def _comparing() -> Any:
    path = ROOT / "probes" / "fidelity" / "comparing.py"
    spec = importlib.util.spec_from_file_location("fidelity_comparing", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _jobs(path: Path) -> list[dict[str, Any]]:
    graph = graph_file(path)
    beside = path.with_name(path.name.replace(".ir.json", ".scenarios.json"))
    file = read_scenario_file(beside.read_bytes(), beside.name, graph)
    world = load_world(path.parent, file.world) if file.world is not None else None
    jobs = [fidelity_job(graph, "custom-agent", scenario, world) for scenario in file.scenarios]
    return [json.loads(json.dumps(job)) for job in jobs]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".ir.json"))
def test_what_is_expected_equals_itself_and_nothing_else(path: Path) -> None:
    comparing = _comparing()
    for job in _jobs(path):
        assert job["id"].startswith(f"fidelity/{job['graph']}/custom-agent/")
        for turn in job["expected"]:
            expected = comparing.canonical_turn(turn, job)
            assert comparing.parted(expected, expected) == {}
            shuffled = copy.deepcopy(turn)
            for part in comparing.PARTS:
                shuffled[part].sort(key=lambda item: (item["path"], item["pass"] is None, item["pass"] or 0))
            assert comparing.parted(comparing.canonical_turn(shuffled, job), expected) == {}
            if expected["calls"]:
                other = copy.deepcopy(expected)
                other["calls"].pop()
                assert "calls" in comparing.parted(other, expected)["where"]


def test_the_first_step_where_they_part_is_named() -> None:
    comparing = _comparing()
    [path] = [path for path in FILES if path.name == "critic-loop.ir.json"]
    job = next(job for job in _jobs(path) if job["id"].endswith("approved-on-pass-2"))
    expected = comparing.canonical_turn(job["expected"][0], job)
    seen = copy.deepcopy(expected)
    seen["steps"][2]["output"] = "another draft"
    found = comparing.parted(seen, expected)
    assert found["where"] == "steps[2] (draft_loop/draft_loop_generator, pass 2)"
    assert found["seen"]["output"] == "another draft"


def test_the_random_scenario_has_one_name() -> None:
    assert RANDOM == fidelity_cells.RANDOM
