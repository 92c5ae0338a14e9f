"""Observations → verdicts, of cells and of mechanisms; pure, so that evidence can be judged again."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from adk_probe.catalog import Catalog
from adk_probe.inputs import changed, code_inputs, environment_inputs, fault_inputs
from adk_probe.matrix import Matrix, Mechanism, Waiver
from adk_probe.model import Fault, Heard, Kind, Lane, Outcome, Target, TargetResult, Verdict
from adk_probe.plan import Planned

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
    warnings: tuple[Heard, ...] = ()
    deprecations: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether the engine gave an answer, rather than our trouble or nothing at all."""
        return self.outcome is not Outcome.UNAVAILABLE and self.kind is not Kind.INFRASTRUCTURE


class Judged(msgspec.Struct, frozen=True):
    """The verdict on a mechanism in one target.

    Attributes:
        because: the probes that decided it: what failed, what is not known, or what was deprecated; all
            that it requires where it is allowed.
        reasons: one sentence for each of ``because`` that needs one.
        waived: claims that fail and were waived.
    """

    mechanism: str
    target: Target
    verdict: Verdict
    because: tuple[str, ...]
    reasons: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()


class Judgement(msgspec.Struct, frozen=True):
    """All verdicts, in order of target and name.

    Attributes:
        drift: releases (as targets of today) that import as released and no longer with today's dependencies.
        missing: targets of the plan of which there is no evidence.
    """

    targets: tuple[Target, ...]
    cells: tuple[Cell, ...]
    mechanisms: tuple[Judged, ...]
    drift: tuple[Target, ...]
    missing: tuple[Target, ...]
    notes: tuple[str, ...] = ()

    def of(self, target: Target) -> dict[str, Cell]:
        """Return the cells of a target by probe."""
        return {cell.probe: cell for cell in self.cells if cell.target == target}


def judge(
    matrix: Matrix,
    catalog: Catalog,
    planned: Iterable[Planned],
    results: Mapping[str, TargetResult],
    unavailable: Mapping[str, str],
    today: datetime.date,
) -> Judgement:
    """Judge all evidence, that of planned targets and what else there is.

    Args:
        unavailable: why a target cannot be made on this machine, by target key.
        today: the day on which waivers are looked at.
    """
    plans = {item.target.key: item for item in planned}
    targets = {key: item.target for key, item in plans.items()} | {
        key: result.target for key, result in results.items() if result.target.engine in matrix.engines
    }
    faults = {key: _fault(plans.get(key), unavailable.get(key)) for key in targets}
    cells = {key: _cells(target, faults[key], results.get(key), catalog) for key, target in targets.items()}
    ordered = sorted(targets.values(), key=lambda target: target.order)
    mechanisms = [
        _mechanism(name, mechanism, target, cells[target.key], matrix, today)
        for name, mechanism in matrix.preferred()
        for target in ordered
        if target.engine == mechanism.engine
    ]
    return Judgement(
        targets=tuple(ordered),
        cells=tuple(cells[target.key][probe] for target in ordered for probe in sorted(cells[target.key])),
        mechanisms=tuple(mechanisms),
        drift=tuple(target for target in ordered if _drifted(target, cells)),
        missing=tuple(target for target in ordered if faults[target.key] is None and target.key not in results),
    )


def _fault(plan: Planned | None, unavailable: str | None) -> Fault | None:
    """Say why a target is not looked into, whatever evidence there is."""
    if plan is not None and plan.fault is not None:
        return plan.fault
    return Fault(Outcome.UNAVAILABLE, unavailable) if unavailable else None


def _cells(target: Target, fault: Fault | None, result: TargetResult | None, catalog: Catalog) -> dict[str, Cell]:
    probes = catalog.probes[target.engine]
    if fault is None and result is not None:
        fault = result.fault
        if fault is None and not result.controlled:
            fault = UNCONTROLLED
    if fault is not None:
        stale: tuple[str, ...] = ()
        if result is not None and fault is result.fault and fault.inputs:
            stale = changed(fault, fault_inputs(catalog, target.engine, result.environment))
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
            changed=changed(seen, {**code_inputs(catalog, probes[seen.probe], target.engine), **surroundings}),
        )
    return found


def _mechanism(
    name: str,
    mechanism: Mechanism,
    target: Target,
    cells: dict[str, Cell],
    matrix: Matrix,
    today: datetime.date,
) -> Judged:
    waived = {waiver.claim: waiver for waiver in matrix.waivers if waiver.mechanism == name}
    false, unknown, deprecated, excused = {}, {}, {}, []
    for probe in mechanism.claims:
        cell = cells.get(probe)
        if cell is None:
            unknown[probe] = f"{probe}: never run here; `adk-probe run {target.command} --probe {probe}` would show"
        elif cell.changed:
            unknown[probe] = f"{probe}: stale ({', '.join(cell.changed)} changed); `adk-probe run {target.command}`"
        elif cell.outcome is Outcome.ABSENT and probe in mechanism.fidelity:
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
    if mechanism.fidelity and all(_inapplicable(cells.get(probe)) for probe in mechanism.fidelity):
        unknown[mechanism.fidelity[0]] = "none of the scenarios of its projects applies here"
    for verdict, why in (
        (Verdict.DENIED, false),
        (Verdict.UNPROVEN, unknown),
        (Verdict.DEPRECATED, deprecated),
    ):
        if why:
            return Judged(name, target, verdict, tuple(why), tuple(why.values()), tuple(excused))
    return Judged(name, target, Verdict.ALLOWED, mechanism.claims, (), tuple(excused))


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


class Answer(msgspec.Struct, frozen=True):
    """The verdict on a mechanism over a whole range: the worst of its targets.

    Attributes:
        tested: the targets that stand for the range.
        guarded: the mechanism of which this is the row for guarded tools, or empty.
    """

    mechanism: str
    sentence: str
    verdict: Verdict
    reasons: tuple[str, ...]
    tested: tuple[Target, ...]
    guarded: str = ""


WORST_FIRST = (Verdict.DENIED, Verdict.UNPROVEN, Verdict.DEPRECATED, Verdict.ALLOWED)


def over_range(
    matrix: Matrix, judgement: Judgement, engine: str, targets: Iterable[Target], command: str
) -> list[Answer]:
    """Return what each mechanism of an engine may be used for over a range, the preferred one first.

    Args:
        targets: those that stand for the range; with none, nothing is proven.
        command: what would prove it.
    """
    wanted = set(targets)
    answers = []
    for name, mechanism in matrix.preferred():
        if mechanism.engine != engine:
            continue
        rows = [row for row in judgement.mechanisms if row.mechanism == name and row.target in wanted]
        unseen = sorted(wanted - {row.target for row in rows}, key=lambda target: target.order)
        verdicts = [row.verdict for row in rows] + [Verdict.UNPROVEN] * bool(unseen or not rows)
        verdict = min(verdicts, key=WORST_FIRST.index)
        reasons = tuple(
            f"{row.target.label}: {reason}" for row in rows if row.verdict is verdict for reason in row.reasons
        )
        if verdict is Verdict.UNPROVEN:
            reasons += tuple(f"{target.label}: no evidence; `{command}` would make it" for target in unseen)
            reasons = reasons or (f"no evidence for this range; `{command}` would make it",)
        tested = tuple(row.target for row in rows)
        answers.append(Answer(name, mechanism.sentence, verdict, reasons, tested, mechanism.guarded))
    return answers
