"""The work on one target: resolve, install, run what is stale, keep the evidence."""

from __future__ import annotations

import datetime
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from adk_probe import env, run, staleness, store
from adk_probe.files import digest
from adk_probe.generated import built
from adk_probe.inputs import code_inputs, environment_inputs, environment_of, fault_inputs
from adk_probe.local import Local, State
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
from adk_probe.plan import Planned
from adk_probe.project import Project


class Ended(msgspec.Struct, frozen=True):
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


class Work:
    """One target's way from its pins to its evidence."""

    def __init__(
        self,
        project: Project,
        item: Planned,
        interpreter: Interpreter,
        state: State,
        stop: threading.Event,
        tick: Callable[[str], None],
    ) -> None:
        self.project = project
        self.item = item
        self.target = item.target
        self.engine = project.matrix.engines[item.target.engine]
        self.interpreter = interpreter
        self.state = state
        self.stop = stop
        self.tick = tick
        self.local = Local(project.root)
        self.folder = self.local.environment(item.target)

    def do(self, everything: bool) -> Ended:
        """Do all that is to be done; ``everything`` runs what is current too.

        Raises:
            Interrupted: the user asked to stop.
            InfrastructureError: evidence cannot be written.
        """
        began = time.monotonic()
        old = store.load_one(self.project.root, self.target)
        try:
            environment = self._resolved()
            why = staleness.why(
                self.project.catalog, self.item.probes, environment, old, self.state.vouched(old.digest if old else "")
            )
            probes = tuple(probe for probe in self.item.probes if everything or probe.id in why)
            if not probes:
                return Ended(self.target, "current")
            ended = self._run(probes, environment, old)
        except env.Failed as error:
            ended = self._failed(error.fault, None, old)
        return msgspec.structs.replace(ended, seconds=time.monotonic() - began)

    def _resolved(self) -> Environment:
        if self.stop.is_set():
            raise run.Interrupted
        # no pins: it could not be resolved, and whatever is asked anew is resolved anew
        if not self.state.resolved or not self.state.pins:
            began = time.monotonic()
            seconds = self.project.matrix.settings.build_seconds
            pins = env.resolve(self.target, self.engine, self.item.uploaded, self.interpreter.path, seconds)
            took = round(time.monotonic() - began, 4)
            kept = self.state.installed if pins == self.state.pins else None
            today = datetime.datetime.now(datetime.UTC).date().isoformat()
            self._remember(pins=pins, resolved=today, seconds_resolve=took, installed=kept)
        return environment_of(self.interpreter, self.state.pins)

    def _remember(self, **changes: object) -> None:
        self.state = msgspec.structs.replace(self.state, **changes)
        self.local.keep(self.target, self.state)

    def _installed(self) -> Path:
        if self.stop.is_set():
            raise run.Interrupted
        python = env.python_of(self.folder)
        if self.state.installed is None or not python.exists():
            self._remember(installed=None)
            seconds = self.project.matrix.settings.build_seconds
            built = env.install(self.folder, self.target, self.state.pins, self.interpreter.path, seconds)
            self._remember(installed=(built.size_bytes, built.seconds))
        return python

    def _run(self, probes: tuple[Probe, ...], environment: Environment, old: TargetResult | None) -> Ended:
        kept = self.state.installed is not None
        ran, took = self._asked(probes)
        hopeless = ran.fault is not None and ran.fault.kind in (Kind.INFRASTRUCTURE, Kind.TIMEOUT)
        if kept and not run.controlled(ran) and not hopeless:
            # something may have happened to the environment since; an engine is blamed in a new one alone
            self._remember(installed=None)
            ran, took = self._asked(probes)
        if ran.fault is not None:
            return self._failed(ran.fault, environment, old, ran)
        if not run.controlled(ran):
            words = "; ".join(f"{name}: {seen.outcome}: {seen.message}" for name, seen in sorted(ran.seen.items())[:2])
            return self._failed(Fault(Outcome.ERROR, f"the controls failed: {words}", Kind.INFRASTRUCTURE), None, old)
        observed = {name: self._observation(name, seen, environment) for name, seen in ran.seen.items()}
        controls = tuple(observed.pop(control.id) for control in self.project.catalog.controls)
        trouble = sorted(name for name, seen in observed.items() if seen.kind is Kind.INFRASTRUCTURE)
        cells, record = self._with_old(observed, self._record(ran, took), old, trouble)
        self._save(TargetResult(RESULT_SCHEMA, self.target, environment, None, controls, cells, record))
        if trouble:
            words = f"{trouble[0]}: {observed[trouble[0]].message}"
            return Ended(self.target, "trouble", len(observed), f"{len(trouble)} cell(s) met trouble, as {words}")
        return Ended(self.target, "ran", len(observed))

    def _with_old(
        self, observed: dict[str, Observation], record: RunRecord, old: TargetResult | None, trouble: list[str]
    ) -> tuple[tuple[Observation, ...], RunRecord]:
        """Return all cells of the target, those from before among them, and what was measured of each."""
        known = self.project.catalog.probes[self.target.engine]
        stays = {}
        if old is not None and old.fault is None:
            # what was not run this time stays: it is current, or its digest tells that it is stale; so does
            # what now met trouble of ours, which says nothing against it
            stays = {cell.probe: cell for cell in old.cells if cell.probe not in observed or cell.probe in trouble}
            measured = {name: old.run.cells[name] for name in stays if name in old.run.cells}
            record = msgspec.structs.replace(record, cells={**record.cells, **measured})
        cells = {**observed, **stays}
        return tuple(cells[name] for name in sorted(cells) if name in known), record

    def _asked(self, probes: tuple[Probe, ...]) -> tuple[run.Ran, float]:
        python = self._installed()
        began = time.monotonic()
        ran = run.run(self._job(python, probes), self.stop, self.tick)
        return ran, time.monotonic() - began

    def _job(self, python: Path, probes: tuple[Probe, ...]) -> run.Job:
        root = self.project.root
        hide = run.hidden(
            [
                (self.folder, "<env>"),
                (Path(self.interpreter.path).parent.parent, "<python>"),
                (built(root), "<generated>"),
                (root, "<project>"),
                (tempfile.gettempdir(), "<tmp>"),
                (os.path.expanduser("~"), "<home>"),  # noqa: PTH111 - Path.home() raises for a user without one
            ]
        )
        warm = (self.engine.import_, *self.engine.warm)
        ordered = (*self.project.catalog.controls, *probes)
        fork = os.environ.get("ADK_PROBE_FORK", "1") != "0"
        return run.Job(self.target, python, root, warm, self.engine.distribution, ordered, hide, fork)

    def _observation(self, name: str, seen: run.Seen, environment: Environment) -> Observation:
        catalog = self.project.catalog
        probe = next((each for each in catalog.controls if each.id == name), None)
        probe = probe or catalog.probes[self.target.engine][name]
        inputs = {**code_inputs(catalog, probe, self.target.engine), **environment_inputs(environment)}
        return Observation(
            probe=name,
            outcome=seen.outcome,
            message=seen.message,
            kind=seen.kind,
            facts=seen.facts,
            warnings=seen.warnings,
            digest=digest(inputs),
            inputs=inputs,
        )

    def _record(self, ran: run.Ran, took: float) -> RunRecord:
        size, install = self.state.installed or (0, 0.0)
        seconds = {
            "resolve": self.state.seconds_resolve,
            "install": install,
            "import": ran.seconds_import,
            "probes": round(took - ran.seconds_import, 4),
        }
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        cells = {name: seen.measured for name, seen in sorted(ran.seen.items())}
        return RunRecord(now, seconds, size, ran.modules, ran.network, cells)

    def _failed(
        self,
        fault: Fault,
        environment: Environment | None,
        old: TargetResult | None,
        ran: run.Ran | None = None,
    ) -> Ended:
        """Keep a whole target's fault as its evidence, unless it is our own trouble and there is evidence."""
        if fault.kind is Kind.INFRASTRUCTURE and old is not None:
            return Ended(self.target, "trouble", message=f"{fault.message}; the evidence from before is kept")
        if fault.kind is Kind.RESOLVE:
            today = datetime.datetime.now(datetime.UTC).date().isoformat()
            self._remember(pins=(), resolved=today)
        if environment is None and self.state.pins:
            environment = environment_of(self.interpreter, self.state.pins)
        elif environment is None:
            environment = environment_of(self.interpreter, ())
        inputs = fault_inputs(self.project.catalog, self.target.engine, environment)
        fault = msgspec.structs.replace(fault, inputs=inputs)
        record = self._record(ran or run.Ran(), ran.seconds_import if ran else 0.0)
        self._save(TargetResult(RESULT_SCHEMA, self.target, environment, fault, run=record))
        state = "trouble" if fault.kind is Kind.INFRASTRUCTURE else "fault"
        return Ended(self.target, state, message=fault.message)

    def _save(self, result: TargetResult) -> None:
        sealed = store.seal(result)
        # trouble of ours is no evidence, so the next run tries again
        trouble = result.fault is not None and result.fault.kind is Kind.INFRASTRUCTURE
        made = "" if trouble else sealed.digest
        # said before and after, so that a run that is killed in between knows its own evidence again
        self._remember(making=made)
        store.save(self.project.root, sealed)
        self._remember(made=made, making="")
