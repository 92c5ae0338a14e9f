"""Engines side by side: every value of the table comes from evidence, and names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import samples
from samples import ENVIRONMENT, TODAY, observation, releases, target

from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence import store
from adk_probe.evidence.comparison import NONE, STALE, Comparison, compare
from adk_probe.evidence.judge import Evidence, judge
from adk_probe.model import Kind, Lane, Measured, Outcome, Probe, RunRecord, TargetResult, Verdict
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Compared, Config, load
from adk_probe.project.folder import Project

FIDELITY = "fidelity/critic/loop/second-turn"
ROOT = Path(__file__).resolve().parents[2]


def catalog(**sums: str) -> Catalog:
    known = samples.catalog(**sums)
    more = Probe(FIDELITY, "it does what it must", "one", "probes/fidelity/run.py")
    return msgspec.structs.replace(
        known,
        probes={"one": {**known.probes["one"], FIDELITY: more}},
        kits={**known.kits, more.file: "kit"},
        bytes={**known.bytes, more.file: "runner"},
    )


def config(*compared: Compared) -> Config:
    return msgspec.structs.replace(samples.config(loop=("a", "b"), other=("c",)), comparison=compared)


def evidence(at: Any, *outcomes: tuple[str, Outcome], facts: dict[str, dict[str, Any]] | None = None) -> TargetResult:
    cells = tuple(
        observation(name, outcome, kind=Kind.CRASH if outcome is Outcome.ERROR else None, known=catalog())
        for name, outcome in outcomes
    )
    measured = {name: Measured(facts=each) for name, each in (facts or {}).items()}
    run = RunRecord(size_bytes=12_300_000, cells=measured)
    return msgspec.structs.replace(samples.result(at, *cells), run=run)


def compared(root: Path, *results: TargetResult, by: tuple[Compared, ...], **sums: str) -> Comparison:
    for result in results:
        store.save(root, result)
    project = Project(root, config(*by), catalog(**sums), releases())
    judgement = judge(project.config, project.catalog, (), Evidence(store.load(root).results), TODAY, None)
    return compare(project, judgement, "critic")


def value(document: Comparison) -> str:
    return document.rows[0].entries[0].value


PASS, FAIL, ABSENT, ERROR = Outcome.PASS, Outcome.FAIL, Outcome.ABSENT, Outcome.ERROR
BY = (Compared("it holds", claims={"loop": ("a", "b")}),)
CASES = [
    ((("a", PASS), ("b", PASS)), "yes (2 of 2 true)"),
    ((("a", PASS), ("b", FAIL)), "no (1 of 2 false)"),
    ((("a", ABSENT), ("b", FAIL)), "no (2 of 2 false)"),
    ((("a", PASS), ("b", ERROR)), NONE),
    ((("a", PASS),), NONE),
    ((("c", PASS),), NONE),
]


@pytest.mark.parametrize(("outcomes", "expected"), CASES)
def test_claims_say_yes_or_no_or_nothing(
    tmp_path: Path, outcomes: tuple[tuple[str, Outcome], ...], expected: str
) -> None:
    by = (Compared("it holds", claims={"one": ("a", "b")}),)
    assert value(compared(tmp_path, evidence(target(), *outcomes), by=by)) == expected


def test_what_is_false_on_one_python_is_false(tmp_path: Path) -> None:
    results = [
        evidence(target(python=python), ("a", PASS), ("b", outcome))
        for python, outcome in (("3.11", FAIL), ("3.12", PASS))
    ]
    document = compared(tmp_path, *results, by=(Compared("it holds", claims={"one": ("a", "b")}),))
    [entry] = document.rows[0].entries
    assert entry.value == "no (1 of 2 false)"
    assert [(back.probe, back.outcomes) for back in entry.backs] == [("a", {"pass": 2}), ("b", {"fail": 1, "pass": 1})]
    assert entry.backs[1].message == "b said"
    assert entry.files == (
        "reports/results/one-1.0-py3.11-today.json",
        "reports/results/one-1.0-py3.12-today.json",
    )
    assert all((tmp_path / file).is_file() for file in entry.files)


def test_evidence_of_another_probe_than_there_is_now_is_not_taken(tmp_path: Path) -> None:
    result = evidence(target(), ("a", PASS), ("b", PASS))
    assert value(compared(tmp_path, result, by=BY, a="changed since")) == STALE


def test_the_newest_tested_release_and_the_best_mechanism_stand_for_an_engine(tmp_path: Path) -> None:
    old = evidence(target("1.0"), ("a", PASS), ("b", PASS), ("c", PASS))
    new = evidence(target("2.0"), ("a", PASS), ("b", FAIL), ("c", PASS))
    document = compared(tmp_path, old, new, by=BY)
    [side] = document.sides
    assert (side.engine, side.release, side.mechanism, side.verdict) == ("one", "2.0", "other", Verdict.ALLOWED)
    assert value(document) == NONE, "the claims are those of another mechanism"
    assert document.rows[0].entries[0].files == ()


def test_of_equal_mechanisms_the_preferred_one_is_taken(tmp_path: Path) -> None:
    document = compared(tmp_path, evidence(target(), ("a", PASS), ("b", PASS), ("c", PASS)), by=BY)
    assert document.sides[0].mechanism == "loop"


def test_today_goes_before_as_released(tmp_path: Path) -> None:
    then = evidence(target("2.0", lane=Lane.AS_RELEASED), ("a", PASS))
    document = compared(tmp_path, then, evidence(target("1.0"), ("a", PASS)), by=BY)
    assert (document.sides[0].release, document.sides[0].lane) == ("1.0", Lane.TODAY)


def test_patterns_stand_for_the_graph_and_the_mechanism(tmp_path: Path) -> None:
    by = (Compared("it holds", every=("fidelity/{graph}/{mechanism}/second-*",)),)
    document = compared(tmp_path, evidence(target(), ("a", PASS), ("b", PASS), (FIDELITY, PASS)), by=by)
    assert value(document) == "yes (1 of 1 true)"
    assert document.rows[0].entries[0].backs[0].probe == FIDELITY


def test_a_measure_is_a_range_over_the_targets(tmp_path: Path) -> None:
    by = (Compared("cost", measure={"one": "a:ms"}, unit="ms"), Compared("none", measure={"one": "b:ms"}))
    results = [
        evidence(target(python=python), ("a", PASS), ("b", PASS), facts={"a": {"ms": number}})
        for python, number in (("3.11", 0.25), ("3.12", 0.3123))
    ]
    document = compared(tmp_path, *results, by=by)
    assert [row.entries[0].value for row in document.rows] == ["0.25 – 0.312 ms", NONE]


def test_the_record_of_the_run_gives_pins_and_size(tmp_path: Path) -> None:
    by = (Compared("packages", record="pins"), Compared("size", record="size"))
    document = compared(tmp_path, evidence(target(), ("a", PASS)), by=by)
    assert [row.entries[0].value for row in document.rows] == [str(len(ENVIRONMENT.pins)), "12.3 MB"]


def test_an_unknown_graph_or_claim_is_named(tmp_path: Path) -> None:
    result = evidence(target(), ("a", PASS))
    with pytest.raises(InputError) as refused:
        compared(tmp_path, result, by=(Compared("x", claims={"one": ("a", "gone")}),))
    assert refused.value.faults == ("[[comparison]] #1: no probe makes the claim 'gone'",)
    project = Project(tmp_path, config(), catalog(), releases())
    with pytest.raises(InputError, match="no graph 'nonsense'"):
        compare(project, judge(project.config, project.catalog, (), Evidence({}), TODAY, None), "nonsense")


def test_without_evidence_there_is_nothing_to_compare(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="no engine has been tested"):
        compared(tmp_path, by=BY)


def test_the_repository_s_own_comparison_names_only_claims_that_are_made() -> None:
    from adk_probe.project import catalog as catalogs

    declared = load(ROOT / "matrix.toml")
    known = {probe for probes in catalogs.load(ROOT, declared).probes.values() for probe in probes}
    named = [probe for each in declared.comparison for probes in each.claims.values() for probe in probes]
    named += [measure.partition(":")[0] for each in declared.comparison for measure in each.measure.values()]
    assert named
    assert set(named) <= known


FAULTS = [
    ('claims = {nobody = ["a"]}', "'nobody' is neither an engine nor a mechanism"),
    ("", "it needs one of claims (or every), measure and record"),
    ('record = "pins"\nevery = ["a"]', "it needs one of claims (or every), measure and record"),
    ('record = "weight"', "record: invalid enum value"),
    ('measure = {one = "a"}', "measure"),
]


@pytest.mark.parametrize(("text", "fault"), FAULTS)
def test_faults_of_the_table_are_named(tmp_path: Path, text: str, fault: str) -> None:
    file = tmp_path / "matrix.toml"
    file.write_text(
        '[engines.one]\ndistribution = "one"\nimport = "one"\nprobes = "probes/one"\n'
        '[suites.quick]\ndescription = "x"\n[[suites.quick.targets]]\nengine = "one"\nreleases = ["1"]\n'
        'pythons = ["3.12"]\n[mechanisms.loop]\nengine = "one"\nsentence = "x"\nrequires = ["a"]\n'
        f'[[comparison]]\nproperty = "x"\n{text}\n'
    )
    with pytest.raises(InputError) as refused:
        load(file)
    assert any("[[comparison]] #1" in each and fault in each for each in refused.value.faults), refused.value.faults
