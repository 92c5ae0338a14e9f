"""The work on one target: resolve, install, run what is stale, keep the evidence."""

from __future__ import annotations

import contextlib
import datetime
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from adk_probe.errors import InfrastructureError
from adk_probe.evidence import journal, recording, staleness, store
from adk_probe.evidence.inputs import code_inputs, environment_inputs, environment_of, fault_inputs
from adk_probe.execution import bytecode, env, run
from adk_probe.execution.watch import GRACE_SECONDS, Interrupted
from adk_probe.machine import verify
from adk_probe.machine.bytecode import Found, Store, stamp
from adk_probe.machine.state import Local, State
from adk_probe.model import (
    RESULT_SCHEMA,
    Environment,
    Fault,
    Interpreter,
    Kind,
    Observation,
    Outcome,
    Probe,
    RunRecord,
    Target,
    TargetResult,
)
from adk_probe.project.folder import Project
from adk_probe.project.generated import built
from adk_probe.project.plan import Planned

MOVED_SHOWN = 5
"""Dependencies that are named when they changed."""


class TargetOutcome(msgspec.Struct, frozen=True):
    """How one target ended.

    Attributes:
        state: ``current`` (nothing to do), ``ran``, ``fault`` (the target cannot be asked, and that is its
            evidence), ``unsupported``, ``unavailable`` or ``trouble`` (ours; older evidence was kept).
        cells: cells that ran.
    """

    target: Target
    state: str
    cells: int = 0
    message: str = ""
    seconds: float = 0.0


class TargetRun:
    """One target's way from its pins to its evidence."""

    def __init__(
        self,
        project: Project,
        item: Planned,
        interpreter: Interpreter,
        state: State,
        stop: threading.Event,
        tick: Callable[[str], None],
        phase: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.project = project
        self.item = item
        self.target = item.target
        self.engine = project.config.engines[item.target.engine]
        self.interpreter = interpreter
        self.state = state
        self.stop = stop
        self.tick = tick
        self.phase = phase
        self.local = Local(project.root)
        self.folder = self.local.environment(item.target)
        self.resolved = env.Resolved("")
        self.bytecode = Store(self.local.bytecode, interpreter)
        self.given: Found = {}
        self.note = ""

    def execute(self, everything: bool) -> TargetOutcome:
        """Do all that is to be done; ``everything`` runs what is current too.

        Raises:
            Interrupted: the user asked to stop.
            InfrastructureError: evidence cannot be written.
        """
        began = time.monotonic()
        try:
            outcome = self._do(everything)
        except Interrupted:
            # what cannot be written now, the next run finds in the journal
            with contextlib.suppress(InfrastructureError):
                recording.take_over(self.project, self.local.journal(self.target))
            raise
        return msgspec.structs.replace(outcome, seconds=time.monotonic() - began)

    def remove_environment(self) -> None:
        """Give the environment's disk back; its pins stay known."""
        self._remember(installed=None, seal=None)
        self.local.forget(self.target)

    def _do(self, everything: bool) -> TargetOutcome:
        old = store.load_one(self.project.root, self.target)
        observed = self.local.observed(self.target)
        try:
            environment = self._resolved(old)
            self.note = _moved(old, environment)
            why = staleness.why(self.project.catalog, self.item.probes, environment, old, observed)
            probes = tuple(probe for probe in self.item.probes if everything or probe.id in why)
            if not probes:
                recording.confirm(self.project, self.target, self.state.resolved)
                return TargetOutcome(self.target, "current")
            return self._run(probes, environment, old)
        except env.Failed as error:
            return self._failed(error.fault, None, old)

    def _resolved(self, old: TargetResult | None) -> Environment:
        if self.stop.is_set():
            raise Interrupted
        self.resolved = env.Resolved(self.local.requirements(self.target))
        # no pins: it could not be resolved, and whatever is asked again is resolved again
        if not self.state.resolved or not self.state.pins or self.resolved.pins != self.state.pins:
            began = time.monotonic()
            self.phase("resolving")
            seconds = self.project.config.settings.build_seconds
            before = self.state.pins or (old.environment.pins if old and old.environment else ())
            self.resolved = env.resolve(
                self.target, self.engine, self.item.uploaded, self.interpreter.path, seconds, before
            )
            took, pins = round(time.monotonic() - began, 4), self.resolved.pins
            kept = self.state.installed if pins == self.state.pins else None
            today = datetime.datetime.now(datetime.UTC).date().isoformat()
            self.local.keep_requirements(self.target, self.resolved.requirements)
            self._remember(pins=pins, resolved=today, seconds_resolve=took, installed=kept)
        return environment_of(self.interpreter, self.state.pins)

    def _remember(self, **changes: object) -> None:
        self.state = msgspec.structs.replace(self.state, **changes)
        self.local.keep(self.target, self.state)

    def _installed(self) -> Path:
        if self.stop.is_set():
            raise Interrupted
        damage = self._damage() if self.state.installed is not None else ""
        if self.state.installed is None or damage:
            self.note = f"its environment was damaged and is made again: {damage}" if damage else self.note
            self._remember(installed=None, seal=None)
            self.phase("installing")
            seconds = self.project.config.settings.build_seconds
            built = env.install(self.folder, self.target, self.resolved, self.interpreter.path, seconds)
            self._remember(installed=(built.size_bytes, built.seconds), seal=built.seal, bytecode="")
        self._give_bytecode()
        return env.python_of(self.folder)

    def _give_bytecode(self) -> None:
        """Leave no bytecode in the environment but what was compiled by the harness."""
        try:
            self.given = bytecode.give(self.bytecode, self.interpreter, self.folder, self.state.bytecode, self.stop)
        except env.Failed:
            self._remember(installed=None, seal=None)
            raise
        if (now := stamp(self.given)) != self.state.bytecode:
            self._remember(bytecode=now)

    def _damage(self) -> str:
        """Say what in the environment is not as it was installed, naming a file; empty where all is."""
        if self.state.seal is None:
            return "nobody knows what was installed"
        try:
            seal = verify.check(self.folder, self.state.seal)
        except verify.Damaged as damage:
            return str(damage)
        if seal != self.state.seal:
            self._remember(seal=seal)
        return ""

    def _run(self, probes: tuple[Probe, ...], environment: Environment, old: TargetResult | None) -> TargetOutcome:
        result, took = self._asked(probes, environment)
        if damage := self._damage() or bytecode.look(self.bytecode, self.folder, self.given):
            # whatever was seen may come from that, an import that fails and a good cell alike
            self._remember(installed=None, seal=None)
            self.local.journal(self.target).unlink(missing_ok=True)
            words = f"the environment was damaged while its cells ran: {damage}"
            return self._failed(Fault(Outcome.ERROR, words, Kind.INFRASTRUCTURE), None, old)
        if not run.controlled(result):
            if result.fault is not None:
                return self._failed(result.fault, environment, old, result)
            words = "; ".join(
                f"{name}: {seen.outcome}: {seen.message}" for name, seen in sorted(result.cells.items())[:2]
            )
            return self._failed(Fault(Outcome.ERROR, f"the controls failed: {words}", Kind.INFRASTRUCTURE), None, old)
        return self._recorded(result, took, environment)

    def _recorded(self, result: run.WorkerResult, took: float, environment: Environment) -> TargetOutcome:
        """Put what a run with good controls saw into the evidence."""
        observed = {name: self._observation(name, seen, environment) for name, seen in result.cells.items()}
        controls = tuple(observed.pop(control.id) for control in self.project.catalog.controls)
        cells = tuple(cell for _, cell in sorted(observed.items()))
        record = self._record(result, took)
        made = TargetResult(RESULT_SCHEMA, self.target, environment, None, controls, cells, record, self.state.resolved)
        recording.record(self.project, made)
        self.local.journal(self.target).unlink(missing_ok=True)
        infrastructure_errors = [cell for cell in cells if cell.kind is Kind.INFRASTRUCTURE]
        if result.fault is not None:
            # the engine was there when the controls ran, so this says nothing about it
            words = f"{result.fault.message}; the {len(cells)} cell(s) that ran before are kept"
            return TargetOutcome(self.target, "trouble", len(cells), words)
        if infrastructure_errors:
            first, count = infrastructure_errors[0], len(infrastructure_errors)
            words = f"{count} cell(s) ended with an infrastructure error, such as {first.probe}: {first.message}"
            return TargetOutcome(self.target, "trouble", len(cells), words)
        return TargetOutcome(self.target, "ran", len(cells), self.note)

    def _asked(self, probes: tuple[Probe, ...], environment: Environment) -> tuple[run.WorkerResult, float]:
        self._installed()
        path = self.local.journal(self.target)
        path.unlink(missing_ok=True)
        began = time.monotonic()

        def outcome(name: str, result: run.WorkerResult) -> None:
            if not path.exists():
                record = msgspec.structs.replace(self._record(result, 0.0), cells={})
                journal.begin(path, journal.Header(self.target, environment, record, self.state.resolved))
            seen = result.cells[name]
            observation = self._observation(name, seen, environment)
            journal.add(path, journal.Line(_now(), observation, seen.measured))
            self.tick(name)

        self.phase("importing")
        result = run.run(self._job(probes), self.stop, outcome)
        return result, time.monotonic() - began

    def _job(self, probes: tuple[Probe, ...]) -> run.Job:
        return job_for(self.project, self.target, self.interpreter, self.folder, probes)

    def _observation(self, name: str, seen: run.CellResult, environment: Environment) -> Observation:
        return observation_of(self.project, self.target, name, seen, environment)

    def _record(self, result: run.WorkerResult, took: float) -> RunRecord:
        size, install = self.state.installed or (0, 0.0)
        seconds = {
            "resolve": self.state.seconds_resolve,
            "install": install,
            "import": result.seconds_import,
            "probes": round(took - result.seconds_import, 4),
        }
        cells = {name: seen.measured for name, seen in sorted(result.cells.items())}
        return RunRecord(_now(), seconds, size, result.modules, result.network, cells)

    def _failed(
        self,
        fault: Fault,
        environment: Environment | None,
        old: TargetResult | None,
        result: run.WorkerResult | None = None,
    ) -> TargetOutcome:
        """Keep a whole target's fault as its evidence, unless it is an infrastructure error and there is evidence."""
        if fault.kind is Kind.INFRASTRUCTURE and self.stop.wait(GRACE_SECONDS):
            # what fails because the user stops is no observation
            raise Interrupted
        if fault.kind is Kind.RESOLVE:
            today = datetime.datetime.now(datetime.UTC).date().isoformat()
            self._remember(pins=(), resolved=today)
        if environment is None and self.state.pins:
            environment = environment_of(self.interpreter, self.state.pins)
        elif environment is None:
            environment = environment_of(self.interpreter, ())
        inputs = fault_inputs(self.project.catalog, environment)
        fault = msgspec.structs.replace(fault, inputs=inputs)
        record = self._record(result or run.WorkerResult(), result.seconds_import if result else 0.0)
        faulty = TargetResult(RESULT_SCHEMA, self.target, environment, fault, run=record, resolved=self.state.resolved)
        if kept := recording.record_fault(self.project, faulty, old.digest if old is not None else ""):
            return TargetOutcome(self.target, "trouble", message=f"{fault.message}; {kept}")
        state = "trouble" if fault.kind is Kind.INFRASTRUCTURE else "fault"
        return TargetOutcome(self.target, state, message=fault.message)


def _moved(old: TargetResult | None, environment: Environment) -> str:
    """Return in words which dependencies are other ones than in the evidence; empty where that is none."""
    if old is None or old.environment is None or not old.environment.pins:
        return ""
    before, after = (dict(pin.split("==", 1) for pin in pins) for pins in (old.environment.pins, environment.pins))
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    shown = [f"{name} {before.get(name, 'not there')} → {after.get(name, 'not there')}" for name in names[:MOVED_SHOWN]]
    rest = len(names) - len(shown)
    more = f" and {rest} more" if rest else ""
    return f"dependencies changed: {', '.join(shown)}{more}" if names else ""


def job_for(
    project: Project, target: Target, interpreter: Interpreter, folder: Path, probes: tuple[Probe, ...]
) -> run.Job:
    """Return what to run in the environment in ``folder``: the controls, and then the probes."""
    root, engine = project.root, project.config.engines[target.engine]
    hide = run.redactions(
        [
            (folder, "<env>"),
            (Path(interpreter.path).parent.parent, "<python>"),
            (built(root), "<generated>"),
            (root, "<project>"),
            (tempfile.gettempdir(), "<tmp>"),
            (os.path.expanduser("~"), "<home>"),  # noqa: PTH111 - Path.home() raises for a user without one
        ]
    )
    warm = (engine.import_, *engine.warm)
    # claims first: they say most, and scenarios take longest
    ordered = (*project.catalog.controls, *sorted(probes, key=lambda probe: bool(probe.mechanism)))
    fork, zygote = (os.environ.get(name, "1") != "0" for name in ("ADK_PROBE_FORK", "ADK_PROBE_ZYGOTE"))
    return run.Job(target, env.python_of(folder), root, warm, engine.distribution, ordered, hide, fork, zygote)


def observation_of(
    project: Project, target: Target, name: str, seen: run.CellResult, environment: Environment
) -> Observation:
    """Return what a cell showed with all that it depends on; ``name`` is that of a probe or a control."""
    catalog = project.catalog
    probe = next((each for each in catalog.controls if each.id == name), None)
    probe = probe or catalog.probes[target.engine][name]
    return Observation(
        probe=name,
        outcome=seen.outcome,
        message=seen.message,
        kind=seen.kind,
        facts=seen.facts,
        warnings=seen.warnings,
        inputs={**code_inputs(catalog, probe), **environment_inputs(environment)},
    )


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
