"""Trials: an environment of exact pins in a scratch folder, what is asked in it, and nothing of it that stays."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import msgspec

from adk_probe.evidence.answers import Answer, Subject, answers
from adk_probe.evidence.inputs import environment_of
from adk_probe.evidence.judge import Evidence, judge
from adk_probe.evidence.judging import today
from adk_probe.execution import bytecode, env, run, uv
from adk_probe.execution.dependencies import Package, packages
from adk_probe.execution.run import WorkerResult
from adk_probe.execution.target import job_for, observation_of
from adk_probe.machine.bytecode import Store
from adk_probe.machine.state import Local
from adk_probe.model import RESULT_SCHEMA, Fault, Interpreter, Target, TargetResult
from adk_probe.project.folder import Project


class Trial(msgspec.Struct, frozen=True):
    """What came of a trial: the answer, and what was installed; nothing where it could not be."""

    answer: Answer
    packages: dict[str, Package]


class Trials:
    """Asks one thing in environments of exact pins, one after the other.

    Evidence and what is known of targets stay as they are; only bytecode is shared with runs.
    """

    def __init__(self, project: Project, subject: Subject, interpreter: Interpreter) -> None:
        self.project = project
        self.subject = subject
        self.interpreter = interpreter
        self.bytecode = Store(Local(project.root).bytecode, interpreter)

    def run(self, target: Target, pins: tuple[str, ...]) -> Trial:
        """Make an environment, ask in it and remove it.

        Args:
            target: whose release is among the pins.

        Raises:
            KeyboardInterrupt: the user asked to stop; nothing is left behind.
        """
        with tempfile.TemporaryDirectory(prefix="adk-probe-trial-", ignore_cleanup_errors=True) as place:
            folder = Path(place) / "env"
            try:
                seconds = self.project.config.settings.build_seconds
                resolved = env.Resolved("\n".join(pins) + "\n")
                env.install(folder, target, resolved, self.interpreter.path, seconds)
                seen = self._asked(target, folder)
                found = packages(folder)
            except env.Failed as error:
                seen, found = WorkerResult(fault=error.fault), {}
            except BaseException:
                uv.stop()
                raise
        return Trial(self._answer(target, pins, seen), found)

    def _asked(self, target: Target, folder: Path) -> WorkerResult:
        known = self.project.catalog.probes[target.engine]
        probes = tuple(known[probe] for probe in self.subject.probes)
        job = job_for(self.project, target, self.interpreter, folder, probes)
        given = bytecode.give(self.bytecode, self.interpreter, folder)
        seen = run.run(job, threading.Event(), lambda *_: None)
        bytecode.look(self.bytecode, folder, given)
        return seen

    def _answer(self, target: Target, pins: tuple[str, ...], seen: WorkerResult) -> Answer:
        """Judge what was seen as evidence is judged."""
        result = self._result(target, pins, seen, seen.fault)
        verdicts = judge(self.project.config, self.project.catalog, (), Evidence({target.key: result}), today(), None)
        found = answers(self.subject, verdicts, {target.key: result}, [target])
        return found.get(target) or Answer("unknown", words="it gave no answer", ours=True)

    def _result(self, target: Target, pins: tuple[str, ...], seen: WorkerResult, fault: Fault | None) -> TargetResult:
        environment = environment_of(self.interpreter, tuple(sorted(pins)))
        if fault is not None:
            return TargetResult(RESULT_SCHEMA, target, environment, fault)
        observed = {
            name: observation_of(self.project, target, name, cell, environment) for name, cell in seen.cells.items()
        }
        controls = tuple(observed.pop(each.id) for each in self.project.catalog.controls if each.id in observed)
        return TargetResult(RESULT_SCHEMA, target, environment, None, controls, tuple(observed.values()))
