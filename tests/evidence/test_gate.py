"""The gate: what was accepted stays accepted, and any way of parting from it is named."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import samples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from samples import observation, result, target

from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence import gate, store
from adk_probe.evidence import lock as lock_file
from adk_probe.evidence.gate import accept, compare
from adk_probe.evidence.judge import Evidence, Judgement, judge
from adk_probe.evidence.judging import judge_project, settled
from adk_probe.evidence.lock import Lock, load, save
from adk_probe.evidence.not_run import NotRun
from adk_probe.model import Fault, Kind, Lane, Observation, Outcome, Probe, TargetResult, Verdict
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, Engine, Group, Suite
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice, Planned

EMPTY = Lock()
FILE = "gate.lock.json"
MATRIX = samples.config(loop=("a", "b"), flow=("c",))


def judged(*results: TargetResult, planned: tuple[Planned, ...] = (), **more: str) -> Judgement:
    unavailable = {key: "no such Python" for key in more.pop("unavailable", "").split() if key}
    found = {each.target.key: each for each in results}
    return judge(
        MATRIX, samples.catalog(**more), planned, Evidence(found, unavailable=unavailable), samples.TODAY, None
    )


SETTLED = (Outcome.PASS, Outcome.FAIL, Outcome.ABSENT, Outcome.ERROR)


@st.composite
def cell(draw: st.DrawFn, name: str) -> Observation:
    outcome = draw(st.sampled_from(SETTLED))
    kind = draw(st.sampled_from([Kind.CRASH, Kind.TIMEOUT])) if outcome is Outcome.ERROR else None
    return observation(name, outcome, draw(st.booleans()), kind)


@st.composite
def evidence(draw: st.DrawFn) -> list[TargetResult]:
    found = []
    for release in draw(st.lists(st.sampled_from(["1.0", "1.1", "2.0"]), unique=True, min_size=1)):
        if draw(st.integers(0, 4)) == 0:
            found.append(result(target(release), fault=Fault(Outcome.ERROR, "no", Kind.IMPORT)))
        else:
            names = draw(st.lists(st.sampled_from(samples.PROBES), unique=True, min_size=1))
            found.append(result(target(release), *(draw(cell(name)) for name in names)))
    return found


QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


@given(results=evidence())
@QUIET
def test_what_was_accepted_is_no_change(tmp_path: Path, results: list[TargetResult]) -> None:
    judgement = judged(*results)
    path = tmp_path / FILE
    lock = accept(path, judgement, EMPTY, "first")
    assert load(path) == lock
    assert compare(judgement, lock) == []
    assert accept(path, judgement, lock, "first") == lock


@given(results=evidence(), data=st.data())
@QUIET
def test_any_flip_is_named(tmp_path: Path, results: list[TargetResult], data: st.DataObject) -> None:
    lock = accept(tmp_path / FILE, judged(*results), EMPTY, "first")
    number = data.draw(st.integers(0, len(results) - 1))
    before = results[number]
    assume(before.cells)
    place = data.draw(st.integers(0, len(before.cells) - 1))
    old = before.cells[place]
    new = data.draw(cell(old.probe))
    cells = (*before.cells[:place], new, *before.cells[place + 1 :])
    results[number] = result(before.target, *cells)
    after = judged(*results)
    changes = compare(after, lock)
    words = [gate.word(each) for each in (*judged(before).cells, *after.cells) if each.probe == old.probe]
    differs = words[0] != next(
        gate.word(each) for each in after.cells if (each.probe, each.target) == (old.probe, before.target)
    )
    named = [change for change in changes if (change.target, change.name) == (before.target.key, old.probe)]
    assert bool(named) is differs
    assert {change.target for change in changes} <= {before.target.key}
    if not differs:
        assert changes == []


@pytest.mark.parametrize(
    ("was", "now", "what"),
    [
        (observation("a"), observation("a", Outcome.FAIL), "regressed"),
        (observation("a", Outcome.FAIL), observation("a"), "fixed"),
        (observation("a"), observation("a", deprecated=True), "changed"),
        (observation("a"), observation("a", Outcome.ERROR, kind=Kind.CRASH), "regressed"),
        (observation("a", Outcome.FAIL), observation("a", Outcome.ABSENT), "fixed"),
        (
            observation("a", Outcome.ERROR, kind=Kind.CRASH),
            observation("a", Outcome.ERROR, kind=Kind.TIMEOUT),
            "changed",
        ),
    ],
)
def test_direction(tmp_path: Path, was: Observation, now: Observation, what: str) -> None:
    lock = accept(tmp_path / FILE, judged(result(target(), was)), EMPTY, "first")
    changes = compare(judged(result(target(), now)), lock)
    assert [change.what for change in changes if change.name == "a"] == [what]
    assert str(changes[0]).startswith(what)


def test_new_and_missing_and_stale(tmp_path: Path) -> None:
    both = judged(result(target(), observation("a"), observation("b")))
    lock = accept(tmp_path / FILE, judged(result(target(), observation("a"))), EMPTY, "first")
    assert ("new", "b") in [(change.what, change.name) for change in compare(both, lock)]
    lock = accept(tmp_path / FILE, both, EMPTY, "first")
    assert [(change.what, change.name) for change in compare(judged(result(target(), observation("a"))), lock)] == [
        ("missing", "b")
    ]
    missing = compare(judged(), lock)
    assert {change.what for change in missing} == {"missing"}
    stale = compare(judged(result(target(), observation("a"), observation("b")), a="other"), lock)
    assert [(change.what, change.name) for change in stale] == [("stale", "a")]
    assert "probe changed since" in stale[0].now


def test_planned_target_without_evidence_does_not_pass_unseen(tmp_path: Path) -> None:
    whole = judged(result(target(), observation("a")))
    lock = accept(tmp_path / FILE, whole, EMPTY, "first")
    found = compare(judged(result(target(), observation("a")), planned=(Planned(target("2.0"), "", ()),)), lock)
    assert {change.target for change in found} == {target("2.0").key}


def test_mechanism_alone_can_change(tmp_path: Path) -> None:
    judgement = judged(result(target(), observation("a"), observation("b"), observation("c")))
    lock = accept(tmp_path / FILE, judgement, EMPTY, "first")
    rows = {**lock.mechanisms[target().key], "loop": "denied"}
    changes = compare(judgement, msgspec.structs.replace(lock, mechanisms={target().key: rows}))
    assert [(change.what, change.name, change.was, change.now) for change in changes] == [
        ("fixed", "mechanism loop", "denied", "allowed")
    ]


@pytest.mark.parametrize("unknown", ["fault", "controls", "unavailable"])
def test_unknown_never_changes_the_lock(tmp_path: Path, unknown: str) -> None:
    path = tmp_path / FILE
    cells = (observation("a"), observation("b", Outcome.FAIL))
    lock = accept(path, judged(result(target(), *cells)), EMPTY, "first")
    if unknown == "fault":
        infrastructure_errors = judged(result(target(), fault=Fault(Outcome.ERROR, "no index", Kind.INFRASTRUCTURE)))
    elif unknown == "controls":
        infrastructure_errors = judged(result(target(), *cells, controls=(Outcome.FAIL, Outcome.FAIL)))
    else:
        infrastructure_errors = judged(
            result(target(), observation("a", Outcome.FAIL)), unavailable="one-1.0-py3.12-today"
        )
    after = accept(path, infrastructure_errors, lock, "first")
    if unknown == "unavailable" and after != lock:
        # evidence of another machine is not looked at where this one has no such Python
        pytest.fail("an unavailable target changed the lock")
    assert after == lock
    assert {change.what for change in compare(infrastructure_errors, lock)} == {"unknown"}
    # and what was never accepted is not accepted by it
    assert accept(path, infrastructure_errors, EMPTY, "first") == Lock(reason="first")


def test_update_needs_a_reason(tmp_path: Path) -> None:
    for reason in ("", "  \n"):
        with pytest.raises(InputError, match="needs a --reason"):
            accept(tmp_path / FILE, judged(result(target(), observation("a"))), EMPTY, reason)
    assert not (tmp_path / FILE).exists()


def test_update_needs_whole_evidence(tmp_path: Path) -> None:
    path = tmp_path / FILE
    stale = judged(result(target(), observation("a")), a="other")
    with pytest.raises(EvidenceError, match=r"not whole: 1 target"):
        accept(path, stale, EMPTY, "why not")
    missing = judged(planned=(Planned(target("2.0"), "", ()),))
    with pytest.raises(EvidenceError, match=r"the first is one 2\.0"):
        accept(path, missing, EMPTY, "why not")
    assert not path.exists()


LOCK = b"""{"schema": "adk-probe.gate/2", "reason": "first", "targets": {
  "one-1.0-py3.12-today": {"cells": {"a": "pass"}, "mechanisms": {"loop": "allowed"}},
  "one-1.1-py3.12-today": {"like": "one-1.0-py3.12-today", "cells": {"a": "", "b": "fail"}}
}}"""


@given(place=st.integers(0, len(LOCK)), length=st.integers(0, 30), put_in=st.binary(max_size=12))
@QUIET
def test_mutated_lock_is_read_or_named(tmp_path: Path, place: int, length: int, put_in: bytes) -> None:
    path = tmp_path / FILE
    path.write_bytes(LOCK[:place] + put_in + LOCK[place + length :])
    with contextlib.suppress(EvidenceError):
        compare(judged(result(target(), observation("a"))), load(path))


def test_a_target_says_what_it_has_otherwise_than_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(LOCK)
    found = load(path)
    assert found.cells == {"one-1.0-py3.12-today": {"a": "pass"}, "one-1.1-py3.12-today": {"b": "fail"}}
    assert set(found.mechanisms) == {"one-1.0-py3.12-today", "one-1.1-py3.12-today"}
    save(path, found)
    assert json.loads(path.read_bytes()) == json.loads(LOCK)


@pytest.mark.parametrize("like", ["one-1.1-py3.12-today", "one-9-py3.12-today"])
def test_a_target_that_is_like_itself_or_like_none_is_refused(tmp_path: Path, like: str) -> None:
    path = tmp_path / FILE
    path.write_bytes(LOCK.replace(b'"like": "one-1.0-py3.12-today"', f'"like": "{like}"'.encode()))
    with pytest.raises(EvidenceError, match="is like"):
        load(path)


Words = dict[str, dict[str, str]]
RELEASES = ("1.0", "1.10", "1.9")
KEYS = st.sampled_from(
    [f"{engine}-{release}-py3.{minor}-today" for engine in ("a", "b") for release in RELEASES for minor in (9, 10)]
)
WORDS = st.dictionaries(KEYS, st.dictionaries(st.sampled_from("abc"), st.sampled_from(["pass", "fail"]), min_size=1))


@given(cells=WORDS, mechanisms=WORDS)
@QUIET
def test_any_lock_is_read_as_it_was_written(tmp_path: Path, cells: Words, mechanisms: Words) -> None:
    path = tmp_path / FILE
    save(path, Lock("why", cells, mechanisms))
    assert load(path) == Lock("why", cells, mechanisms)


def test_lock_that_is_not_there_or_of_another_schema(tmp_path: Path) -> None:
    assert load(tmp_path / FILE) == EMPTY
    (tmp_path / FILE).write_bytes(LOCK.replace(b"gate/2", b"gate/1"))
    with pytest.raises(EvidenceError, match="schema is"):
        load(tmp_path / FILE)


# ------------------------------------------------------------------ what was never run


def config_of(mechanisms: tuple[str, ...] = ("loop",), fidelity: str = "") -> Config:
    made = samples.config((), **dict.fromkeys(mechanisms, ("a", "b")))
    engine = msgspec.structs.replace(made.engines["one"], fidelity=fidelity)
    return msgspec.structs.replace(made, engines={"one": engine})


def catalog_of(*probes: Probe) -> Catalog:
    known = samples.catalog()
    every = {**known.probes["one"], **{probe.id: probe for probe in probes}}
    sums = {**known.bytes, **{probe.file: f"sum of {probe.id}" for probe in probes}}
    kits = {**known.kits, **{probe.file: "sum of kit" for probe in probes}}
    return msgspec.structs.replace(known, probes={"one": every}, bytes=sums, kits=kits)


def written(root: Path, *results: TargetResult, config: Config, probes: tuple[Probe, ...] = ()) -> Project:
    for each in results:
        store.save(root, each)
    return Project(root, config, catalog_of(*probes), samples.releases())


def judge_all(project: Project) -> Judgement:
    """Judge what is there and nothing that is planned, since this machine need not have a Python of the suite."""
    return judge_project(project, Choice(release="1.0", python="3.12"), None)


SOUND = (observation("a"), observation("b"), observation("c"))
BROKEN = result(target("2.0"), fault=Fault(Outcome.ERROR, "does not import", Kind.IMPORT))
SCENARIO = samples.probe("fidelity/graph/flow/one", mechanism="flow", graph="graph")
OF_LOOP = samples.probe("fidelity/graph/loop/one", mechanism="loop", graph="graph")


def accepted_before(root: Path, **more: Any) -> Lock:
    project = written(root, result(target(), *SOUND), BROKEN, config=config_of(**more))
    return accept(root / lock_file.FILE, judge_all(project), EMPTY, "first")


@pytest.mark.parametrize("new", ["d", "fidelity/graph/loop/one"])
def test_a_probe_that_was_never_run_changes_nothing_that_was_accepted(tmp_path: Path, new: str) -> None:
    lock = accepted_before(tmp_path)
    probe = OF_LOOP if "/" in new else samples.probe(new)
    project = written(tmp_path, config=config_of(), probes=(probe,))
    judgement = judge_all(project)
    assert judgement.not_run.probes == {"one": (new,)}
    assert compare(judgement, lock) == []
    # nor is it accepted unseen, where all that is known is that a release does not import
    assert accept(tmp_path / lock_file.FILE, judgement, lock, "first") == lock


def test_what_requires_a_probe_that_was_never_run_is_unproven(tmp_path: Path) -> None:
    lock = accepted_before(tmp_path)
    project = written(tmp_path, config=config_of(), probes=(OF_LOOP,))
    judgement = judge_all(project)
    (row,) = (row for row in judgement.mechanisms if row.target == target())
    assert (row.verdict, row.because) == (Verdict.UNPROVEN, (OF_LOOP.id,))
    (kept,) = (row for row in settled(project, judgement)[1].mechanisms if row.target == target())
    assert kept.verdict == Verdict.ALLOWED == lock.mechanisms[target().key]["loop"]


@pytest.mark.parametrize("generated", [True, False])
def test_a_mechanism_that_was_never_played_is_no_drift_and_no_proof(tmp_path: Path, generated: bool) -> None:
    """Its claims are proven: they are those of another mechanism."""
    lock = accepted_before(tmp_path)
    probes = (SCENARIO,) if generated else ()
    project = written(tmp_path, config=config_of(("loop", "flow"), "probes/run.py"), probes=probes)
    judgement = judge_all(project)
    assert judgement.not_run.mechanisms == ("flow",)
    assert [str(change) for change in compare(judgement, lock) if "flow" in change.name] == []
    (row,) = (row for row in judgement.mechanisms if row.target == target() and row.mechanism == "flow")
    assert row.verdict is Verdict.UNPROVEN


def test_an_engine_that_was_never_run_is_not_missing(tmp_path: Path) -> None:
    lock = accepted_before(tmp_path)
    known = config_of()
    groups = (*known.suites["quick"].targets, Group("two", ("1.0",), ("3.12",), (Lane.TODAY,)))
    project = written(tmp_path, config=known)
    project = msgspec.structs.replace(
        project,
        config=msgspec.structs.replace(
            known,
            engines={**known.engines, "two": Engine("two", "two", "probes/two")},
            suites={"quick": Suite("a few", groups)},
        ),
        catalog=msgspec.structs.replace(project.catalog, probes={**project.catalog.probes, "two": {}}),
        releases=msgspec.structs.replace(
            project.releases, engines={**project.releases.engines, "two": project.releases.engines["one"]}
        ),
    )
    judgement = judge_project(project, Choice(suite="quick", release="1.0", python="3.12", lane=Lane.TODAY), None)
    assert [each.engine for each in judgement.missing] == ["two"]
    assert judgement.not_run.engines == ("two",)
    assert settled(project, judgement)[1].missing == ()
    assert compare(judgement, lock) == []
    assert accept(tmp_path / lock_file.FILE, judgement, lock, "first") == lock


def test_what_was_run_once_or_accepted_once_is_drift(tmp_path: Path) -> None:
    lock = accepted_before(tmp_path)
    extra = samples.probe("d")
    project = written(tmp_path, config=config_of(), probes=(extra,))
    seen = (*SOUND, observation("d", known=project.catalog))
    store.save(tmp_path, result(target(), *seen))
    assert judge_all(project).not_run == NotRun()
    # a new observation is to be accepted, also where it says only that a release does not import
    assert {(change.what, change.target) for change in compare(judge_all(project), lock)} == {
        ("new", target().key),
        ("new", target("2.0").key),
    }
    more = accept(tmp_path / lock_file.FILE, judge_all(project), lock, "one more")
    assert more.cells[target().key]["d"] == "pass"
    store.save(tmp_path, result(target(), *SOUND))
    assert judge_all(project).not_run == NotRun()
    assert [str(change) for change in compare(judge_all(project), more)] == [
        f"missing   d on {target().key}: pass → no evidence"
    ]


def test_where_nothing_was_ever_accepted_nothing_is_left_out(tmp_path: Path) -> None:
    project = written(tmp_path, config=config_of(), probes=(samples.probe("d"),))
    assert judge_all(project).missing
    store.save(tmp_path, result(target(), *SOUND))
    judgement = judge_all(project)
    assert (judgement.not_run, judgement.settled) == (NotRun(), None)


def test_what_was_never_run_is_named_in_a_line() -> None:
    new = NotRun(("two",), {"one": (OF_LOOP.id, SCENARIO.id, *"bcdefg")}, ("flow",))
    assert str(new) == "engine two; mechanism flow; scenarios of graph; probe b, c, d, e, f, and 1 more"
