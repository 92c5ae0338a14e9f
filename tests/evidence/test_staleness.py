"""A cell runs again if, and only if, something that it depends on changed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from adk_probe.evidence.inputs import changed, code_inputs, environment_inputs, environment_of, fault_inputs
from adk_probe.evidence.staleness import Why, why
from adk_probe.evidence.store import seal
from adk_probe.files import digest
from adk_probe.machine.state import WHOLE
from adk_probe.model import Environment, Fault, Interpreter, Kind, Outcome, TargetResult

TARGET = samples.target()
RESULT = samples.result(TARGET, *(samples.observation(name) for name in samples.PROBES))
ASKED = tuple(samples.probe(name) for name in samples.PROBES)


def own(result: TargetResult | None) -> dict[str, str]:
    """Return what a machine knows that made all of the evidence."""
    if result is None:
        return {}
    seen = {cell.probe: digest(cell) for cell in result.cells}
    return seen if result.fault is None else {WHOLE: digest(result.fault)}


def ask(result: TargetResult | None, observed: dict[str, str] | None = None, **changes: Any) -> Why:
    environment = msgspec.structs.replace(samples.ENVIRONMENT, **changes.pop("environment", {}))
    return why(samples.catalog(**changes), ASKED, environment, result, own(result) if observed is None else observed)


def test_nothing_changed() -> None:
    assert ask(RESULT) == {}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"b": "other"}, {"b": ("probe",)}),
        ({"kit": "other"}, dict.fromkeys(samples.PROBES, ("kit",))),
        ({"environment": {"pins": ("one==1.1",)}}, dict.fromkeys(samples.PROBES, ("pins",))),
        ({"environment": {"python": "3.12.2"}}, dict.fromkeys(samples.PROBES, ("python",))),
        ({"environment": {"build": "other"}}, dict.fromkeys(samples.PROBES, ("python",))),
        ({"environment": {"implementation": "PyPy"}}, dict.fromkeys(samples.PROBES, ("python",))),
        ({"environment": {"platform": "other"}}, dict.fromkeys(samples.PROBES, ("platform",))),
        ({"control-pass": "other"}, {}),
        ({"a": "x", "kit": "y"}, {"a": ("kit", "probe"), "b": ("kit",), "c": ("kit",)}),
    ],
)
def test_change_is_named(changes: dict[str, Any], expected: Why) -> None:
    assert ask(RESULT, **changes) == expected


def test_what_was_never_seen_here() -> None:
    elsewhere = ("evidence not made on this machine",)
    assert ask(None) == dict.fromkeys(samples.PROBES, ("no evidence yet",))
    assert ask(RESULT, {}) == dict.fromkeys(samples.PROBES, elsewhere)
    # cell by cell, for two machines may have made them
    assert ask(RESULT, {name: seen for name, seen in own(RESULT).items() if name == "a"}) == {
        "b": elsewhere,
        "c": elsewhere,
    }
    assert ask(RESULT, own(RESULT) | {"b": digest(samples.observation("b", Outcome.FAIL))}) == {"b": elsewhere}
    part = samples.result(TARGET, samples.observation("a"))
    assert ask(part) == {"b": ("no evidence yet",), "c": ("no evidence yet",)}
    fault = samples.result(TARGET, fault=Fault(Outcome.ERROR, "no", Kind.IMPORT))
    assert ask(fault, own(RESULT)) == dict.fromkeys(samples.PROBES, elsewhere)


def test_infrastructure_error_of_ours_is_no_answer() -> None:
    infrastructure_errors = samples.observation("a", Outcome.ERROR, kind=Kind.INFRASTRUCTURE)
    result = samples.result(TARGET, infrastructure_errors, samples.observation("b"), samples.observation("c"))
    assert ask(result) == {"a": ("it ended with an infrastructure error",)}
    fault = samples.result(TARGET, fault=Fault(Outcome.ERROR, "no", Kind.INFRASTRUCTURE))
    assert ask(fault) == dict.fromkeys(samples.PROBES, ("it ended with an infrastructure error",))


def test_uncontrolled_evidence_is_none() -> None:
    cells = tuple(samples.observation(name) for name in samples.PROBES)
    for controls in ((Outcome.PASS, Outcome.PASS), (Outcome.FAIL, Outcome.FAIL), (Outcome.ERROR, Outcome.FAIL)):
        result = samples.result(TARGET, *cells, controls=controls)
        assert ask(result) == dict.fromkeys(samples.PROBES, ("the controls did not have their expected outcomes",))


def test_fault_of_a_whole_target() -> None:
    inputs = fault_inputs(samples.catalog(), samples.ENVIRONMENT)
    result = samples.result(TARGET, fault=Fault(Outcome.ERROR, "no", Kind.IMPORT, inputs))
    assert ask(result) == {}
    # a probe or the kit has no part in it
    assert ask(result, a="other", kit="other") == {}
    assert ask(result, environment={"pins": ()}) == dict.fromkeys(samples.PROBES, ("pins",))
    assert ask(seal(msgspec.structs.replace(result, fault=Fault(Outcome.ERROR, "no", Kind.IMPORT)))) != {}


TEXT = st.sampled_from(["", "a", "b", "a, b"])
ENVIRONMENTS = st.builds(Environment, TEXT, TEXT, TEXT, TEXT, st.lists(TEXT, max_size=3).map(tuple))
SUMS = st.fixed_dictionaries({"a": TEXT, "kit": TEXT})


@given(one=ENVIRONMENTS, other=ENVIRONMENTS, sums=SUMS, others=SUMS)
def test_inputs_differ_exactly_where_what_they_stand_for_does(
    one: Environment, other: Environment, sums: dict[str, str], others: dict[str, str]
) -> None:
    def inputs(environment: Environment, known: dict[str, str]) -> dict[str, str]:
        catalog = samples.catalog(**known)
        return {**code_inputs(catalog, catalog.probes["one"]["a"]), **environment_inputs(environment)}

    seen = msgspec.structs.replace(samples.observation("a"), inputs=inputs(one, sums))
    build = [(each.implementation, each.python, each.build) for each in (one, other)]
    expected = {
        "kit": sums["kit"] != others["kit"],
        "pins": one.pins != other.pins,
        "platform": one.platform != other.platform,
        "probe": sums["a"] != others["a"],
        "python": build[0] != build[1],
        "worker": False,
    }
    assert changed(seen, inputs(other, others)) == tuple(name for name, differs in expected.items() if differs)


def test_environment_of_an_interpreter_leaves_its_path_out() -> None:
    found = environment_of(Interpreter("/somewhere", "3.12.1", "CPython", "main", "linux"), ("one==1.0",))
    assert found == Environment("3.12.1", "CPython", "main", "linux", ("one==1.0",))


@pytest.mark.parametrize(
    ("facts", "asked", "stale"),
    [
        ({"examples": 10, "of": 40}, 10, False),
        ({"examples": 40, "of": 40}, 10, False),
        ({"examples": 10, "of": 40}, None, True),
        ({"examples": 10, "of": 40}, 20, True),
        ({"examples": 8, "of": 8}, 10, False),
        ({"examples": 8, "of": 8}, None, False),
        ({}, None, False),
        ({"examples": "10", "of": 40}, None, False),
    ],
)
def test_more_random_models_than_have_played(facts: dict[str, Any], asked: int | None, stale: bool) -> None:
    seen = msgspec.structs.replace(samples.observation("a"), facts=facts)
    result = samples.result(TARGET, seen)
    probe = msgspec.structs.replace(samples.probe("a"), examples=asked)
    found = why(samples.catalog(), (probe,), samples.ENVIRONMENT, result, own(result))
    assert found == ({"a": ("fewer random models played than are asked for",)} if stale else {})
