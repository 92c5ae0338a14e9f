"""Observations → verdicts, of cells and of mechanisms; pure, so that evidence can be judged again."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from adk_probe.evidence.freshness import mismatch, old
from adk_probe.evidence.inputs import changed, code_inputs, environment_inputs, fault_inputs
from adk_probe.evidence.not_run import NotRun
from adk_probe.model import CapturedWarning, Fault, Kind, Lane, Outcome, Target, TargetResult, Verdict
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, Waiver
from adk_probe.project.plan import Planned
from adk_probe.project.requirements import Requirement, requirements, row_name

UNCONTROLLED = Fault(
    Outcome.ERROR,
    "the controls did not come out as they must, so nothing here may be believed",
    Kind.INFRASTRUCTURE,
)


class Cell(msgspec.Struct, frozen=True):
    """A target × a probe, with what is known of it.

    Attributes:
        changed: names of the inputs that are other than when it was observed; it is stale unless empty.
    """

    probe: str
    target: Target
    outcome: Outcome
    message: str
    kind: Kind | None = None
    facts: dict[str, Any] = {}
    warnings: tuple[CapturedWarning, ...] = ()
    deprecations: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether the engine gave an answer, rather than our trouble or nothing at all."""
        return self.outcome is not Outcome.UNAVAILABLE and self.kind is not Kind.INFRASTRUCTURE


class Judged(msgspec.Struct, frozen=True):
    """The verdict on a mechanism in one target, alone or for one feature.

    Attributes:
        feature: empty for the mechanism alone.
        because: the probes that decided it: what failed, what is not known, or what was deprecated; all
            that it requires where it is allowed.
        reasons: one sentence for each of ``because`` that needs one; the same in every target that shares the reason.
        waived: claims that fail and were waived.
    """

    mechanism: str
    target: Target
    verdict: Verdict
    because: tuple[str, ...]
    reasons: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    feature: str = ""

    @property
    def name(self) -> str:
        """How its row is called: the mechanism, or ``mechanism+feature``."""
        return row_name(self.mechanism, self.feature)


class Judgement(msgspec.Struct, frozen=True):
    """All verdicts, in order of target and name.

    Attributes:
        drift: releases (as targets of today) that import as released and no longer with today's dependencies.
        missing: targets that are planned or were accepted once, and of which there is no evidence.
        unreadable: why there is a file and still no evidence, by the key of its target.
        aged: how old the evidence is of targets that are no longer fresh, in words, by target key.
        resolved: the day on which the pins of a target were last seen, by the key of each target that was tested.
        notes: one line for each file that is no evidence.
        not_run: what is declared and was never run; whatever requires it is unproven.
        settled: the same judgement without that, which is what reports and lock of before are compared with; None
            where nothing is left out.
    """

    targets: tuple[Target, ...]
    cells: tuple[Cell, ...]
    mechanisms: tuple[Judged, ...]
    drift: tuple[Target, ...]
    missing: tuple[Target, ...]
    unreadable: dict[str, str] = {}
    aged: dict[str, str] = {}
    resolved: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    not_run: NotRun = NotRun()
    settled: Judgement | None = None

    def of(self, target: Target) -> dict[str, Cell]:
        """Return the cells of a target by probe."""
        return {cell.probe: cell for cell in self.cells if cell.target == target}


class Evidence(msgspec.Struct, frozen=True):
    """All that a judgement is made from, beside what is declared.

    Attributes:
        results: by target key.
        unreadable: why the file of a target is no evidence, by target key.
        accepted: targets that the gate's lock knows; without evidence they are missing, not gone.
        unavailable: why a target cannot be made on this machine, by target key.
    """

    results: Mapping[str, TargetResult]
    unreadable: Mapping[str, str] = {}
    accepted: tuple[Target, ...] = ()
    unavailable: Mapping[str, str] = {}


def judge(
    config: Config,
    catalog: Catalog,
    planned: Iterable[Planned],
    evidence: Evidence,
    today: datetime.date,
    max_age: int | None,
) -> Judgement:
    """Judge all evidence, that of planned targets and what else there is.

    Args:
        today: the day (UTC) on which waivers and the evidence's age are looked at.
        max_age: days for which evidence of the lane ``today`` counts as fresh; None looks at no age, so that
            the same evidence gives the same verdicts on any day.
    """
    plans = {item.target.key: item for item in planned}
    known = {key: result for key, result in evidence.results.items() if result.target.engine in config.engines}
    mismatched = {key: words for key, result in known.items() if (words := mismatch(result, config))}
    results = {key: result for key, result in known.items() if key not in mismatched}
    unreadable = {**evidence.unreadable, **mismatched}
    targets = _targets(plans, known, unreadable, evidence.accepted, config)
    faults = {key: _fault(plans.get(key), evidence.unavailable.get(key)) for key in targets}
    # the same in all targets of an engine
    code = {
        engine: {name: code_inputs(catalog, probe) for name, probe in probes.items()}
        for engine, probes in catalog.probes.items()
    }
    cells = {
        key: _cells(target, faults[key], results.get(key), catalog, code[target.engine])
        for key, target in targets.items()
    }
    aged = {
        key: words for key, result in results.items() if max_age is not None and (words := old(result, today, max_age))
    }
    doubts = {key: f"its evidence {words}" for key, words in {**aged, **unreadable}.items()}
    ordered = sorted(targets.values(), key=lambda target: target.order)
    mechanisms = [
        _mechanism(requirement, target, cells[target.key], doubts.get(target.key, ""), config, today)
        for requirement in requirements(config, catalog)
        for target in ordered
        if target.engine == requirement.engine
    ]
    return Judgement(
        targets=tuple(ordered),
        cells=tuple(cells[target.key][probe] for target in ordered for probe in sorted(cells[target.key])),
        mechanisms=tuple(mechanisms),
        drift=tuple(target for target in ordered if _drifted(target, cells)),
        missing=tuple(target for target in ordered if faults[target.key] is None and target.key not in results),
        unreadable={key: words for key, words in sorted(unreadable.items()) if key in targets},
        aged=aged,
        resolved={
            key: result.resolved for key, result in sorted(results.items()) if _tested(result) and faults[key] is None
        },
    )


def _targets(
    plans: Mapping[str, Planned],
    results: Mapping[str, TargetResult],
    unreadable: Iterable[str],
    accepted: Iterable[Target],
    config: Config,
) -> dict[str, Target]:
    """Return every target that is planned, was seen, was accepted, or has a file that cannot be read."""
    damaged = (Target.parse(key) for key in unreadable)
    others = {target.key: target for target in (*accepted, *damaged) if target and target.engine in config.engines}
    return others | {key: result.target for key, result in results.items()} | {k: p.target for k, p in plans.items()}


def _tested(result: TargetResult) -> bool:
    """Whether the evidence says something of the engine, rather than of our own infrastructure."""
    return result.controlled if result.fault is None else result.fault.kind is not Kind.INFRASTRUCTURE


def _fault(plan: Planned | None, unavailable: str | None) -> Fault | None:
    """Say why a target is not looked into, whatever evidence there is."""
    if plan is not None and plan.fault is not None:
        return plan.fault
    return Fault(Outcome.UNAVAILABLE, unavailable) if unavailable else None


def _cells(
    target: Target,
    fault: Fault | None,
    result: TargetResult | None,
    catalog: Catalog,
    code: Mapping[str, dict[str, str]],
) -> dict[str, Cell]:
    """Return what is known of each probe; ``code`` are the inputs that this project's files make up, by probe."""
    probes = catalog.probes[target.engine]
    if fault is None and result is not None:
        fault = result.fault
        if fault is None and not result.controlled:
            fault = UNCONTROLLED
    if fault is not None:
        stale: tuple[str, ...] = ()
        if result is not None and fault is result.fault and fault.inputs:
            stale = changed(fault, fault_inputs(catalog, result.environment))
        return {name: Cell(name, target, fault.outcome, fault.message, fault.kind, changed=stale) for name in probes}
    if result is None or result.environment is None:
        return {}
    surroundings = environment_inputs(result.environment)
    found = {}
    for seen in result.cells:
        if seen.probe not in probes:
            # the probe is gone, and its claim with it
            continue
        measured = result.run.cells.get(seen.probe)
        found[seen.probe] = Cell(
            probe=seen.probe,
            target=target,
            outcome=seen.outcome,
            message=seen.message,
            kind=seen.kind,
            facts={**seen.facts, **(measured.facts if measured else {})},
            warnings=seen.warnings,
            deprecations=seen.deprecations,
            changed=changed(seen, {**code[seen.probe], **surroundings}),
        )
    return found


def _mechanism(
    requirement: Requirement,
    target: Target,
    cells: dict[str, Cell],
    doubt: str,
    config: Config,
    today: datetime.date,
) -> Judged:
    name, feature = requirement.mechanism, requirement.feature
    if doubt:
        return Judged(name, target, Verdict.UNPROVEN, requirement.probes, (doubt,), (), feature)
    waived = {waiver.claim: waiver for waiver in config.waivers if waiver.mechanism == name}
    false, unknown, deprecated, excused = {}, {}, {}, []
    for probe in requirement.probes:
        cell = cells.get(probe)
        if cell is None:
            unknown[probe] = f"{probe}: never run here"
        elif cell.changed:
            unknown[probe] = f"{probe}: stale ({', '.join(cell.changed)} changed)"
        elif cell.outcome is Outcome.ABSENT and probe in requirement.scenarios:
            # the engine does not promise such a thing here, so there is nothing that could be false
            continue
        elif cell.outcome in (Outcome.FAIL, Outcome.ABSENT):
            if _excuses(waived.get(probe), today):
                excused.append(probe)
            else:
                false[probe] = f"{probe}: {cell.outcome}: {cell.message}"
        elif cell.outcome is not Outcome.PASS:
            unknown[probe] = f"{probe}: {cell.outcome}{f' ({cell.kind})' if cell.kind else ''}: {cell.message}"
        elif cell.deprecations:
            deprecated[probe] = f"{probe}: {cell.deprecations[0]}"
    if requirement.played and all(_inapplicable(cells.get(probe)) for probe in requirement.deciding):
        first = next(iter(requirement.deciding), requirement.name)
        unknown[first] = f"none of the scenarios that decide on {requirement.name} applies here"
    for verdict, why in (
        (Verdict.DENIED, false),
        (Verdict.UNPROVEN, unknown),
        (Verdict.DEPRECATED, deprecated),
    ):
        if why:
            return Judged(name, target, verdict, tuple(why), tuple(why.values()), tuple(excused), feature)
    return Judged(name, target, Verdict.ALLOWED, requirement.probes, (), tuple(excused), feature)


def _inapplicable(cell: Cell | None) -> bool:
    return cell is not None and not cell.changed and cell.outcome is Outcome.ABSENT


def _excuses(waiver: Waiver | None, today: datetime.date) -> bool:
    return waiver is not None and today <= waiver.expiry


def _imports(cells: dict[str, Cell]) -> bool | None:
    """Whether the engine imports in a target; None where it could not be asked."""
    if not cells or any(not cell.settled or cell.outcome is Outcome.UNSUPPORTED for cell in cells.values()):
        return None
    kinds = {cell.kind for cell in cells.values() if cell.outcome is Outcome.ERROR}
    return not (
        len(kinds) == 1
        and kinds <= {Kind.IMPORT, Kind.RESOLVE, Kind.INSTALL}
        and all(cell.outcome is Outcome.ERROR for cell in cells.values())
    )


def _drifted(target: Target, cells: Mapping[str, dict[str, Cell]]) -> bool:
    """Whether a target of today does not import although the same release does as released."""
    if target.lane is not Lane.TODAY:
        return False
    then = msgspec.structs.replace(target, lane=Lane.AS_RELEASED)
    return _imports(cells[target.key]) is False and _imports(cells.get(then.key, {})) is True
