"""Planned targets → evidence: decides what must run and makes the environments side by side."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from typing import Protocol

import msgspec
from packaging.version import Version

from adk_probe.errors import InputError
from adk_probe.evidence import recording, staleness, store, timings, unchanged
from adk_probe.evidence.freshness import days_since
from adk_probe.evidence.inputs import environment_of
from adk_probe.evidence.staleness import Why
from adk_probe.execution import uv
from adk_probe.execution.pythons import gather
from adk_probe.execution.target import TargetOutcome, TargetRun
from adk_probe.execution.watch import Interrupted
from adk_probe.machine import disk
from adk_probe.machine.state import Local, State, stamp
from adk_probe.model import Interpreter, Lane, Outcome, RunRecord, Target
from adk_probe.project.folder import Project
from adk_probe.project.plan import Planned


class Progress(Protocol):
    """Is told how a run goes on; called from several threads."""

    def begin(self, targets: int, cells: int, seconds: float) -> None:
        """Say how much there is to do, and how many seconds of one core it took before; 0.0 where nobody knows."""

    def phase(self, target: Target, phase: str) -> None:
        """Say what is done for a target before its cells run."""

    def cell(self, target: Target, probe: str) -> None:
        """Say that one cell ended."""

    def done(self, outcome: TargetOutcome) -> None:
        """Say that one target ended."""


class PendingTarget(msgspec.Struct, frozen=True):
    """A target with work: why each of its probes must run, by the names of what changed."""

    item: Planned
    interpreter: Interpreter
    state: State
    why: Why


class Worklist(msgspec.Struct, frozen=True):
    """Planned targets, sorted into those with work and those that have ended already."""

    pending: tuple[PendingTarget, ...]
    outcomes: tuple[TargetOutcome, ...]


def sort(
    project: Project, planned: Iterable[Planned], refresh: bool, fetch: bool, max_age: int | None = None
) -> Worklist:
    """Find out what must run; starts no target.

    What interrupted runs had finished becomes evidence first.

    Args:
        max_age: days for which the pins of the lane ``today`` stand before the index is asked again; by default what
            ``matrix.toml`` says.

    Raises:
        InfrastructureError: evidence or local state cannot be written.
    """
    planned = list(planned)
    local = Local(project.root)
    for path in local.journals():
        recording.take_over(project, path)
    tried = [item for item in planned if item.fault is None]
    outcomes = [
        TargetOutcome(item.target, str(item.fault.outcome), message=item.fault.message)
        for item in planned
        if item.fault
    ]
    states = {item.target.key: local.state(item.target) for item in tried}
    wanted = {item.target.python for item in tried}
    pythons = gather(local, project.config.settings, wanted, states.values(), fetch=fetch, refresh=refresh)
    found = pythons.found
    everything = unchanged.declared(project)
    pending = []
    for item in tried:
        target = item.target
        before = states[target.key]
        if target.python not in found:
            words = pythons.missing[target.python]
            if before.unavailable != words:
                local.keep(target, msgspec.structs.replace(before, unavailable=words))
            outcomes.append(TargetOutcome(target, str(Outcome.UNAVAILABLE), message=words))
            continue
        state = _still(before, found[target.python], project, target, refresh, project.max_age(max_age))
        if state != before:
            local.keep(target, state)
        key = "" if refresh else unchanged.currency(project, everything, item, state)
        why = {} if key and state.current == key else _why(project, item, state, refresh)
        if key and not why and state.current != key:
            local.keep(target, msgspec.structs.replace(state, current=key))
        if why:
            pending.append(PendingTarget(item, found[target.python], state, why))
        else:
            outcomes.append(TargetOutcome(target, "current"))
    return Worklist(tuple(pending), tuple(outcomes))


def refuse_impossible(work: Worklist) -> None:
    """Refuse a choice of which nothing could ever be run.

    Raises:
        InputError: the metadata of every release that was chosen rules its Python out.
    """
    if not work.pending and work.outcomes and all(each.state == Outcome.UNSUPPORTED for each in work.outcomes):
        reasons = tuple(dict.fromkeys(each.message for each in work.outcomes))
        raise InputError("nothing that was chosen can be run", "Choose another --release or --python.", reasons)


def _still(
    state: State, interpreter: Interpreter, project: Project, target: Target, refresh: bool, max_age: int
) -> State:
    """Return what of a target's state still holds: pins of the lane ``today`` stand for so many days."""
    requires = project.config.engines[target.engine].requires
    same = state.interpreter == interpreter and state.requires == requires and not refresh
    fresh = same and (target.lane is Lane.AS_RELEASED or _young(state.resolved, max_age))
    known = msgspec.structs.replace(
        state, interpreter=interpreter, stamp=stamp(interpreter.path), requires=requires, unavailable=""
    )
    if not same:
        known = msgspec.structs.replace(known, installed=None)
    return known if fresh else msgspec.structs.replace(known, resolved="")


def _young(resolved: str, max_age: int) -> bool:
    days = days_since(resolved, _today())
    return days is not None and -1 <= days <= max_age


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _why(project: Project, item: Planned, state: State, refresh: bool) -> Why:
    if refresh:
        return {probe.id: ("--refresh",) for probe in item.probes}
    old = store.load_one(project.root, item.target)
    observed = Local(project.root).observed(item.target)
    if not state.resolved and observed and old is not None:
        # only resolving shows whether the pins of a new day differ
        return {probe.id: ("pins may have changed: they are to be resolved again",) for probe in item.probes}
    assert state.interpreter is not None
    environment = environment_of(state.interpreter, state.pins)
    return staleness.why(project.catalog, item.probes, environment, old, observed)


def execute(
    project: Project,
    worklist: Worklist,
    jobs: int,
    refresh: bool,
    progress: Progress,
    keep_environments: bool = True,
) -> list[TargetOutcome]:
    """Do the work of every target, ``jobs`` at a time; evidence is kept as each one ends.

    Args:
        keep_environments: whether an environment stays when its target was asked; what met an infrastructure error
            or was interrupted keeps it, so that the next run goes on there.

    Raises:
        KeyboardInterrupt: the user asked to stop; targets that had ended are kept.
        ProbeError: evidence cannot be written.
        Exception: whatever else happens; nothing goes on behind it.
    """
    stop = threading.Event()
    records = timings.load(project.root)
    seconds = sum(_took(records, pending) for pending in worklist.pending)
    progress.begin(len(worklist.pending), sum(len(pending.why) for pending in worklist.pending), seconds)
    outcomes = list(worklist.outcomes)
    for each in worklist.outcomes:
        progress.done(each)
    pool = ThreadPoolExecutor(max_workers=max(1, jobs))
    futures: list[Future[TargetOutcome]] = []
    try:
        ordered = _in_order(worklist.pending, records)
        more = (refresh, stop, progress, keep_environments)
        futures = [pool.submit(_work, project, pending, *more) for pending in ordered]
        for future in as_completed(futures):
            outcomes.append(future.result())
            progress.done(outcomes[-1])
    except BaseException:
        # whatever it is, no target goes on behind the back of whoever is told of it
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
        uv.stop()
        while left := [future for future in futures if not future.done()]:
            # one may have been about to start when the others were stopped
            wait(left, timeout=0.1)
            uv.stop()
        raise
    finally:
        pool.shutdown()
    return sorted(outcomes, key=lambda each: each.target.order)


def _in_order(pending: Iterable[PendingTarget], records: Mapping[str, RunRecord]) -> list[PendingTarget]:
    """Return targets in the order in which to start them.

    The newest release of each engine comes first, of it the targets that play scenarios, since the verdicts for all of
    its Pythons wait for them. The others follow from new to old, so that a run that is stopped has what most people ask
    about; of one release, what took longest last time comes first.
    """
    every = list(pending)
    first = newest(each.item.target for each in every)
    versions = sorted({each.item.target.release for each in every}, key=Version)
    ranks = {version: rank for rank, version in enumerate(versions)}

    def key(each: PendingTarget) -> tuple[bool, int, bool, float]:
        target = each.item.target
        plays = any(probe.mechanism for probe in each.item.probes)
        return target not in first, -ranks[target.release], target in first and not plays, -_took(records, each)

    return sorted(every, key=key)


def newest(targets: Iterable[Target]) -> set[Target]:
    """Return those of some targets that have the newest release of their engine."""
    every = set(targets)
    last: dict[str, Version] = {}
    for target in every:
        last[target.engine] = max(Version(target.release), last.get(target.engine, Version("0")))
    return {target for target in every if Version(target.release) == last[target.engine]}


def _took(records: Mapping[str, RunRecord], pending: PendingTarget) -> float:
    """Return how many seconds the probes of a target took when they last ran; 0.0 where they never did."""
    record = records.get(pending.item.target.key, RunRecord())
    return sum(measured.seconds for name, measured in record.cells.items() if name in pending.why)


def _work(
    project: Project,
    pending: PendingTarget,
    refresh: bool,
    stop: threading.Event,
    progress: Progress,
    keep_environments: bool,
) -> TargetOutcome:
    target = pending.item.target
    if words := disk.shortage(project.root, project.config.settings.disk_floor):
        return TargetOutcome(target, "trouble", message=f"not begun: {words}")
    work = TargetRun(
        project,
        pending.item,
        pending.interpreter,
        pending.state,
        stop,
        lambda probe: progress.cell(target, probe),
        lambda phase: progress.phase(target, phase),
    )
    try:
        outcome = work.execute(refresh)
    except Interrupted:
        return TargetOutcome(target, "trouble", message="interrupted")
    if not keep_environments and outcome.state in ("ran", "fault"):
        work.remove_environment()
    return outcome
