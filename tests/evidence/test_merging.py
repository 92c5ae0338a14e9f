"""Evidence of one target is merged cell by cell: what ran just now wins, and nothing else is lost."""

from __future__ import annotations

from typing import Any

import msgspec
import samples
from hypothesis import given
from hypothesis import strategies as st

from adk_probe.evidence.inputs import environment_inputs
from adk_probe.evidence.merging import SURROUNDINGS, filled, merged
from adk_probe.model import Fault, Kind, Measured, Observation, Outcome, RunRecord, TargetResult

TARGET = samples.target()
KNOWN = frozenset(samples.PROBES)


def result(when: str = "", **cells: Observation | str) -> TargetResult:
    """Return evidence; a cell that is given by a word passes with it as its message."""
    seen = {
        name: cell if isinstance(cell, Observation) else observation(name, message=cell) for name, cell in cells.items()
    }
    made = samples.result(TARGET, *(cell for _, cell in sorted(seen.items())))
    measured = {name: Measured(1.0, {"of": cell.message}) for name, cell in seen.items()}
    return msgspec.structs.replace(made, run=RunRecord(when=when, cells=measured))


def observation(name: str, **changes: Any) -> Observation:
    return msgspec.structs.replace(samples.observation("a"), **{"probe": name, **changes})


def words(found: TargetResult) -> dict[str, str]:
    """Return the message of each cell; what was measured of it must be of the same run."""
    assert [cell.probe for cell in found.cells] == sorted(cell.probe for cell in found.cells)
    told = {name: measured.facts["of"] for name, measured in found.run.cells.items()}
    assert told == {cell.probe: cell.message for cell in found.cells}
    return told


def test_what_ran_now_replaces_and_the_rest_stays() -> None:
    found = merged(result("1", a="old", b="old"), result("2", b="new", c="new"), KNOWN)
    assert words(found) == {"a": "old", "b": "new", "c": "new"}
    assert found.run.when == "2"
    assert words(merged(None, result(a="new"), KNOWN)) == {"a": "new"}


def test_probe_that_is_gone_leaves() -> None:
    assert words(merged(result(a="old", gone="old"), result(b="new", went="new"), KNOWN)) == {"a": "old", "b": "new"}


def test_infrastructure_error_replaces_nothing() -> None:
    failed = observation("a", outcome=Outcome.ERROR, kind=Kind.INFRASTRUCTURE, message="trouble")
    assert words(merged(result(a="old"), result(a=failed, b="new"), KNOWN)) == {"a": "old", "b": "new"}
    assert words(merged(result(b="old"), result(a=failed), KNOWN)) == {"a": "trouble", "b": "old"}


def test_fault_of_the_whole_target_has_no_cells_to_keep() -> None:
    fault = samples.result(TARGET, fault=Fault(Outcome.ERROR, "no", Kind.IMPORT))
    assert words(merged(fault, result(a="new"), KNOWN)) == {"a": "new"}
    assert filled(fault, result(a="older"), KNOWN) == fault


def test_newer_evidence_is_only_filled() -> None:
    newer = msgspec.structs.replace(result("2", a="newer"), environment=None)
    found = filled(newer, result("1", a="older", b="older"), KNOWN)
    assert words(found) == {"a": "newer", "b": "older"}
    assert (found.run.when, found.environment) == ("2", None)


def test_newer_evidence_of_older_files_is_replaced() -> None:
    stale = observation("a", message="stale", inputs={**samples.observation("a").inputs, "kit": "an older one"})
    assert words(filled(result("2", a=stale), result("1", a="older"), KNOWN)) == {"a": "older"}
    # the same files in another environment: the newer one stands
    other = observation("a", message="newer", inputs={**samples.observation("a").inputs, "pins": "others"})
    assert words(filled(result("2", a=other), result("1", a="older"), KNOWN)) == {"a": "newer"}


def test_surroundings_are_the_inputs_of_an_environment() -> None:
    assert set(SURROUNDINGS) == set(environment_inputs(samples.ENVIRONMENT))


SOME = st.dictionaries(st.sampled_from(samples.PROBES), st.sampled_from(["x", "y", "z"]))


@given(runs=st.lists(SOME, max_size=5))
def test_no_order_of_runs_loses_a_cell(runs: list[dict[str, str]]) -> None:
    found: TargetResult | None = None
    expected: dict[str, str] = {}
    for cells in runs:
        found = merged(found, result(**cells), KNOWN)
        expected |= cells
        assert words(found) == expected
