"""Verdicts: denied before unproven before deprecated before allowed; waivers, staleness and drift."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st
from samples import TODAY, observation, result, target

from adk_probe.evidence.judge import Evidence, Judged, Judgement, judge
from adk_probe.model import Fault, Kind, Lane, Observation, Outcome, Target, TargetResult, Verdict
from adk_probe.project.config import Config, Waiver
from adk_probe.project.plan import Planned

AT = target()
PASS, FAIL, ABSENT, ERROR = Outcome.PASS, Outcome.FAIL, Outcome.ABSENT, Outcome.ERROR


def verdicts(
    *results: TargetResult,
    config: Config | None = None,
    planned: Iterable[Planned] = (),
    unavailable: dict[str, str] | None = None,
    today: datetime.date = TODAY,
    max_age: int | None = None,
    **sums: str,
) -> Judgement:
    found = {each.target.key: each for each in results}
    evidence = Evidence(found, unavailable=unavailable or {})
    return judge(config or samples.config(), samples.catalog(**sums), planned, evidence, today, max_age)


def one(*cells: Observation, **more: object) -> Judged:
    (row,) = verdicts(result(AT, *cells), **more).mechanisms  # type: ignore[arg-type]
    return row


A, B = observation("a"), observation("b")
OLD = observation("b", deprecated=True)
CASES = [
    ((A, B), Verdict.ALLOWED, ("a", "b")),
    ((A, OLD), Verdict.DEPRECATED, ("b",)),
    ((observation("a", FAIL), B), Verdict.DENIED, ("a",)),
    ((observation("a", ABSENT), B), Verdict.DENIED, ("a",)),
    ((observation("a", FAIL), observation("b", FAIL)), Verdict.DENIED, ("a", "b")),
    ((observation("a", ERROR, kind=Kind.CRASH), B), Verdict.UNPROVEN, ("a",)),
    ((observation("a", ERROR, kind=Kind.INFRASTRUCTURE), OLD), Verdict.UNPROVEN, ("a",)),
    ((B,), Verdict.UNPROVEN, ("a",)),
    ((observation("a", FAIL), observation("b", ERROR, kind=Kind.TIMEOUT)), Verdict.DENIED, ("a",)),
    ((observation("a", FAIL),), Verdict.DENIED, ("a",)),
    ((), Verdict.UNPROVEN, ("a", "b")),
    ((A, B, observation("c", FAIL)), Verdict.ALLOWED, ("a", "b")),
]


@pytest.mark.parametrize(("cells", "verdict", "because"), CASES)
def test_verdict(cells: tuple[Observation, ...], verdict: Verdict, because: tuple[str, ...]) -> None:
    row = one(*cells)
    assert (row.verdict, row.because) == (verdict, because)
    assert len(row.reasons) == (0 if verdict is Verdict.ALLOWED else len(because))


def test_a_reason_is_the_same_in_every_target_that_shares_it() -> None:
    found = verdicts(result(AT, B), result(target("2.0"), B))
    assert {row.reasons for row in found.mechanisms} == {("a: never run here",)}


def test_stale_is_unproven() -> None:
    for sums in ({"a": "other"}, {"kit": "other"}):
        row = one(A, B, **sums)
        assert row.verdict is Verdict.UNPROVEN
        assert "stale" in row.reasons[0]
    # neither is a stale no a no
    assert one(observation("a", FAIL), B, a="other").verdict is Verdict.UNPROVEN
    assert one(A, B, c="other").verdict is Verdict.ALLOWED


def test_deprecation_that_others_were_told_does_not_count() -> None:
    import msgspec

    from adk_probe.model import CapturedWarning

    told = msgspec.structs.replace(B, warnings=(CapturedWarning("DeprecationWarning", "inside", "other"),))
    assert one(A, told).verdict is Verdict.ALLOWED
    told = msgspec.structs.replace(B, warnings=(CapturedWarning("UserWarning", "just so", "probe"),))
    assert one(A, told).verdict is Verdict.ALLOWED


WAIVER = Waiver("loop", "a", "known", "https://example.org/1", TODAY)


@pytest.mark.parametrize("outcome", [FAIL, ABSENT])
def test_waiver_until_its_expiry(outcome: Outcome) -> None:
    config = samples.config((WAIVER,))
    row = one(observation("a", outcome), B, config=config)
    assert (row.verdict, row.waived) == (Verdict.ALLOWED, ("a",))
    assert one(observation("a", outcome), B, config=config, today=TODAY + datetime.timedelta(1)).verdict is (
        Verdict.DENIED
    )
    assert one(observation("a", outcome), observation("b", FAIL), config=config).because == ("b",)


def test_waiver_excuses_no_lack_of_evidence() -> None:
    config = samples.config((WAIVER,))
    assert one(B, config=config).verdict is Verdict.UNPROVEN
    assert one(observation("a", ERROR, kind=Kind.CRASH), B, config=config).verdict is Verdict.UNPROVEN
    assert one(observation("a", FAIL), B, config=config, a="other").verdict is Verdict.UNPROVEN


@pytest.mark.parametrize("controls", [(PASS, PASS), (FAIL, FAIL), (FAIL, PASS), (ERROR, FAIL)])
def test_without_controls_nothing_is_believed(controls: tuple[Outcome, Outcome]) -> None:
    found = verdicts(result(AT, A, B, controls=controls))
    assert {(cell.outcome, cell.kind) for cell in found.cells} == {(ERROR, Kind.INFRASTRUCTURE)}
    assert {row.verdict for row in found.mechanisms} == {Verdict.UNPROVEN}
    assert not any(cell.settled for cell in found.cells)


def test_planned_fault_unavailability_and_missing_evidence() -> None:
    fault = Fault(Outcome.UNSUPPORTED, "requires Python >=4")
    planned = [
        Planned(target("1.0"), "", (), fault),
        Planned(target("1.1"), "", ()),
        Planned(target("2.0"), "", ()),
    ]
    found = verdicts(planned=planned, unavailable={target("2.0").key: "no such Python"})
    assert {cell.target.release: cell.outcome for cell in found.cells} == {
        "1.0": Outcome.UNSUPPORTED,
        "2.0": Outcome.UNAVAILABLE,
    }
    assert found.missing == (target("1.1"),)
    assert {row.verdict for row in found.mechanisms} == {Verdict.UNPROVEN}


def test_evidence_of_what_is_gone_is_passed_over() -> None:
    import msgspec

    gone = msgspec.structs.replace(A, probe="gone")
    other = result(Target("other", "1.0", "3.12", Lane.TODAY), A)
    found = verdicts(result(AT, A, B, gone), other)
    assert {cell.probe for cell in found.cells} == {"a", "b"}
    assert found.targets == (AT,)


def broken(kind: Kind, lane: Lane = Lane.TODAY) -> TargetResult:
    return result(target(lane=lane), fault=Fault(ERROR, "no", kind))


THEN = target(lane=Lane.AS_RELEASED)


@pytest.mark.parametrize(
    ("results", "drifted"),
    [
        ((result(THEN, A), broken(Kind.IMPORT)), True),
        ((result(THEN, A), broken(Kind.RESOLVE)), True),
        ((result(THEN, observation("a", FAIL)), broken(Kind.IMPORT)), True),
        ((result(THEN, A), broken(Kind.INFRASTRUCTURE)), False),
        ((broken(Kind.IMPORT, Lane.AS_RELEASED), broken(Kind.IMPORT)), False),
        ((broken(Kind.INFRASTRUCTURE, Lane.AS_RELEASED), broken(Kind.IMPORT)), False),
        ((broken(Kind.IMPORT),), False),
        ((broken(Kind.IMPORT, Lane.AS_RELEASED), result(AT, A)), False),
        ((result(THEN, A), result(AT, observation("a", ERROR, kind=Kind.CRASH))), False),
        ((result(THEN, A), result(AT, A)), False),
    ],
)
def test_drift(results: tuple[TargetResult, ...], drifted: bool) -> None:
    assert verdicts(*results).drift == ((AT,) if drifted else ())


OUTCOMES = st.sampled_from(
    [
        observation("a"),
        observation("a", deprecated=True),
        observation("a", FAIL),
        observation("a", ABSENT),
        observation("a", ERROR, kind=Kind.CRASH),
        None,
    ]
)
ORDER = [Verdict.DENIED, Verdict.UNPROVEN, Verdict.DEPRECATED, Verdict.ALLOWED]


@given(seen=st.lists(OUTCOMES, min_size=3, max_size=3), required=st.lists(st.sampled_from(samples.PROBES), min_size=1))
def test_verdict_is_the_worst_of_what_is_required(seen: list[Observation | None], required: list[str]) -> None:
    import msgspec

    requires = tuple(dict.fromkeys(required))
    cells = [
        msgspec.structs.replace(each, probe=name, inputs=observation(name).inputs)
        for name, each in zip(samples.PROBES, seen, strict=True)
        if each is not None
    ]
    whole = one(*cells, config=samples.config(loop=requires)).verdict
    alone = [one(*cells, config=samples.config(loop=(name,))).verdict for name in requires]
    assert whole is min(alone, key=ORDER.index)
    if whole is Verdict.ALLOWED:
        assert all(cell.outcome is PASS and not cell.deprecations for cell in cells if cell.probe in requires)
