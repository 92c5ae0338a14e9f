"""Observations → verdicts, of cells and of mechanisms; pure, so that evidence can be judged again."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping

import msgspec

from adk_probe.evidence.cells import Cell
from adk_probe.evidence.elsewhere import scenarios_elsewhere
from adk_probe.evidence.freshness import mismatch, old
from adk_probe.evidence.inputs import changed, code_inputs, environment_inputs, fault_inputs
from adk_probe.evidence.not_run import NotRun
from adk_probe.model import Fault, Kind, Lane, Outcome, Target, TargetResult, Verdict, python_order
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, Waiver
from adk_probe.project.plan import Planned
from adk_probe.project.requirements import Requirement, requirements, row_name

UNCONTROLLED = Fault(
    Outcome.ERROR,
    "the controls did not have their expected outcomes, so no result of this target counts",
    Kind.INFRASTRUCTURE,
)


class Judged(msgspec.Struct, frozen=True):
    """The verdict on a mechanism in one target, without a feature or for one.

    Attributes:
        feature: empty for the mechanism without a feature.
        because: the probes that decided it: what failed, what is not known, or what was deprecated; all
            that it requires where it is allowed.
        reasons: one sentence for each of ``because`` that needs one; the same in every target that shares the reason.
        waived: claims that fail and were waived.
        fidelity_on: the other Pythons (``3.12``) on which scenarios that were not played here were; empty where all
            that counts was seen on the target itself.
    """

    mechanism: str
    target: Target
    verdict: Verdict
    because: tuple[str, ...]
    reasons: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    feature: str = ""
    fidelity_on: tuple[str, ...] = ()

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
    results, unreadable = _believable(evidence, config)
    targets = _targets(plans, evidence, unreadable, config)
    faults = {key: _fault(plans.get(key), evidence.unavailable.get(key)) for key in targets}
    cells = _cells_of_targets(targets, faults, results, catalog)
    aged = {} if max_age is None else _aged(results, today, max_age)
    doubts = {key: f"its evidence {words}" for key, words in {**aged, **unreadable}.items()}
    ordered = sorted(targets.values(), key=lambda target: target.order)
    believed = {
        key
        for key, result in results.items()
        if faults[key] is None and result.fault is None and result.controlled and key not in doubts
    }
    scenarios = {name for probes in catalog.probes.values() for name, probe in probes.items() if probe.mechanism}
    borrowed = scenarios_elsewhere(ordered, cells, believed, scenarios)
    # of a scenario that counts as it came out elsewhere, what was seen here before is out of date
    cells = {key: {name: cell for name, cell in own.items() if name not in borrowed[key]} for key, own in cells.items()}
    mechanisms = [
        _mechanism(requirement, target, known, doubts.get(target.key, ""), config, today)
        for requirement in requirements(config, catalog)
        for target in ordered
        if target.engine == requirement.engine
        for known in ({**cells[target.key], **borrowed[target.key]},)
    ]
    return Judgement(
        targets=tuple(ordered),
        cells=tuple(cells[target.key][probe] for target in ordered for probe in sorted(cells[target.key])),
        mechanisms=tuple(mechanisms),
        drift=tuple(target for target in ordered if _drifted(target, cells)),
        missing=tuple(target for target in ordered if faults[target.key] is None and target.key not in results),
        unreadable={key: words for key, words in sorted(unreadable.items()) if key in targets},
        aged=aged,
        resolved={key: each.resolved for key, each in sorted(results.items()) if _tested(each) and faults[key] is None},
    )


def _believable(evidence: Evidence, config: Config) -> tuple[dict[str, TargetResult], dict[str, str]]:
    """Return the results that fit their targets, and why the others and the broken files are no evidence."""
    known = {key: result for key, result in evidence.results.items() if result.target.engine in config.engines}
    mismatched = {key: words for key, result in known.items() if (words := mismatch(result, config))}
    results = {key: result for key, result in known.items() if key not in mismatched}
    return results, {**evidence.unreadable, **mismatched}


def _targets(
    plans: Mapping[str, Planned], evidence: Evidence, unreadable: Iterable[str], config: Config
) -> dict[str, Target]:
    """Return every target that is planned, was seen, was accepted, or has a file that cannot be read."""
    damaged = (Target.parse(key) for key in unreadable)
    seen = (result.target for result in evidence.results.values())
    others = (target for target in (*evidence.accepted, *damaged, *seen) if target)
    known = {target.key: target for target in others if target.engine in config.engines}
    return known | {key: item.target for key, item in plans.items()}


def _aged(results: Mapping[str, TargetResult], today: datetime.date, max_age: int) -> dict[str, str]:
    return {key: words for key, result in results.items() if (words := old(result, today, max_age))}


def _tested(result: TargetResult) -> bool:
    """Whether the evidence is about the engine, rather than an infrastructure error."""
    return result.controlled if result.fault is None else result.fault.kind is not Kind.INFRASTRUCTURE


def _fault(plan: Planned | None, unavailable: str | None) -> Fault | None:
    """Say why a target is not looked into, whatever evidence there is."""
    if plan is not None and plan.fault is not None:
        return plan.fault
    return Fault(Outcome.UNAVAILABLE, unavailable) if unavailable else None


def _cells_of_targets(
    targets: Mapping[str, Target],
    faults: Mapping[str, Fault | None],
    results: Mapping[str, TargetResult],
    catalog: Catalog,
) -> dict[str, dict[str, Cell]]:
    # the same in all targets of an engine
    code = {
        engine: {name: code_inputs(catalog, probe) for name, probe in probes.items()}
        for engine, probes in catalog.probes.items()
    }
    return {
        key: _cells(target, faults[key], results.get(key), catalog, code[target.engine])
        for key, target in targets.items()
    }


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
    pythons = {cells[probe].target.python for probe in requirement.scenarios if probe in cells} - {target.python}
    elsewhere = tuple(sorted(pythons, key=python_order))
    excused = []
    # worst first
    against: dict[Verdict, dict[str, str]] = {Verdict.DENIED: {}, Verdict.UNPROVEN: {}, Verdict.DEPRECATED: {}}
    for probe in requirement.probes:
        cell = cells.get(probe)
        if probe in requirement.scenarios and _inapplicable(cell):
            # the engine does not promise such a thing here, so there is nothing that could be false
            continue
        verdict, why = _claim(probe, cell)
        if verdict is Verdict.DENIED and _excuses(waived.get(probe), today):
            excused.append(probe)
        elif verdict is not Verdict.ALLOWED:
            against[verdict][probe] = why
    if requirement.played and all(_inapplicable(cells.get(probe)) for probe in requirement.deciding):
        first = next(iter(requirement.deciding), requirement.name)
        against[Verdict.UNPROVEN][first] = f"none of the scenarios that decide on {requirement.name} applies here"
    for verdict, reasons in against.items():
        if reasons:
            return Judged(
                name, target, verdict, tuple(reasons), tuple(reasons.values()), tuple(excused), feature, elsewhere
            )
    return Judged(name, target, Verdict.ALLOWED, requirement.probes, (), tuple(excused), feature, elsewhere)


def _claim(probe: str, cell: Cell | None) -> tuple[Verdict, str]:
    """Return the verdict that one claim alone would give, and why if it is not ``allowed``."""
    if cell is None:
        return Verdict.UNPROVEN, f"{probe}: never run here"
    if cell.changed:
        return Verdict.UNPROVEN, f"{probe}: stale ({', '.join(cell.changed)} changed)"
    if cell.outcome in (Outcome.FAIL, Outcome.ABSENT):
        return Verdict.DENIED, f"{probe}: {cell.outcome}: {cell.message}"
    if cell.outcome is not Outcome.PASS:
        kind = f" ({cell.kind})" if cell.kind else ""
        return Verdict.UNPROVEN, f"{probe}: {cell.outcome}{kind}: {cell.message}"
    if cell.deprecations:
        return Verdict.DEPRECATED, f"{probe}: {cell.deprecations[0]}"
    return Verdict.ALLOWED, ""


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
