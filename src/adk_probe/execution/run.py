"""Environment × probes → observations; the only spawner of target code, and the owner of its time."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.execution.records import ProbeOutput, read_records
from adk_probe.execution.watch import Watch
from adk_probe.files import tail_of
from adk_probe.inside import WORKER
from adk_probe.model import CONTROL_FAIL, CONTROL_PASS, CapturedWarning, Fault, Kind, Measured, Outcome, Probe, Target
from adk_probe.project.generated import built

IMPORT_SECONDS = 300.0
SLACK_SECONDS = 20.0
FULL_DISK = "No space left on device"
# -s: what a user's own site-packages hold is not part of a target
OPTIONS = ("-s",)
UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)


class Job(msgspec.Struct, frozen=True):
    """What to run in one environment.

    Attributes:
        redact: texts that must not show in evidence (folders of this machine) and what stands in for them.
    """

    target: Target
    python: Path
    root: Path
    warm: tuple[str, ...]
    distribution: str
    probes: tuple[Probe, ...]
    redact: dict[str, str]
    fork: bool = True


class CellResult(msgspec.Struct, frozen=True):
    """What one cell showed, before it is given its digest."""

    outcome: Outcome
    message: str
    kind: Kind | None
    facts: dict[str, Any]
    warnings: tuple[CapturedWarning, ...]
    measured: Measured


class WorkerResult(msgspec.Struct):
    """What a job showed: the warm import, then each cell by probe id; ``fault`` when nothing could be asked."""

    seconds_import: float = 0.0
    modules: int = 0
    network: str = ""
    fault: Fault | None = None
    cells: dict[str, CellResult] = {}


Tell = Callable[[str, WorkerResult], None]


def run(job: Job, stop: threading.Event, tell: Tell) -> WorkerResult:
    """Run every probe of a job, controls first; ``tell`` is told each probe that ended, with all that was seen so far.

    A probe that brings the worker down costs its own cell; the rest goes on in a new worker.

    Raises:
        watch.Interrupted: ``stop`` was set; of every cell that had ended by then, ``tell`` was told.
    """
    result = WorkerResult()
    left = list(job.probes)
    while left and result.fault is None:
        try:
            with tempfile.TemporaryDirectory(prefix="adk-probe-", ignore_cleanup_errors=True) as scratch:
                redact = {**job.redact, **redactions([(scratch, "<scratch>")])}
                ended = _one_worker(
                    msgspec.structs.replace(job, redact=redact), left, Path(scratch), result, stop, tell
                )
        except OSError as error:
            words = f"the worker cannot be run: {error.strerror or error}"
            result.fault = Fault(Outcome.ERROR, words, Kind.INFRASTRUCTURE)
            break
        left = [probe for probe in left if probe.id not in result.cells]
        if left and not ended and result.fault is None:
            result.fault = Fault(Outcome.ERROR, "the worker ended without a word", Kind.INFRASTRUCTURE)
    return result


def _one_worker(
    job: Job, probes: list[Probe], scratch: Path, result: WorkerResult, stop: threading.Event, tell: Tell
) -> bool:
    """Run probes in one worker until it ends; return whether at least one cell ended."""
    read, write = os.pipe()
    cells = [_cell(probe, job, scratch) for probe in probes]
    task = {"warm": job.warm, "events": write, "fork": job.fork, "cells": cells}
    # escaped, since a path need not be text that UTF-8 can hold
    (scratch / "job.json").write_text(json.dumps(task), encoding="ascii")
    with (scratch / "output").open("wb") as output:
        process = subprocess.Popen(
            [str(job.python), *OPTIONS, str(WORKER), str(scratch / "job.json")],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=_environment(job, scratch),
            cwd=scratch,
            pass_fds=(write,),
            start_new_session=True,
        )
    os.close(write)
    watch = Watch(process, read, stop, scratch)
    try:
        return _follow(watch, {probe.id: probe for probe in probes}, job, scratch, result, tell)
    finally:
        watch.kill()


def _cell(probe: Probe, job: Job, scratch: Path) -> dict[str, Any]:
    return {
        "id": probe.id,
        "path": str(job.root / probe.file),
        "out": str(_out(scratch, probe)),
        "timeout": probe.timeout,
        "memory": probe.memory,
        "isolated": probe.isolated,
        "family": probe.family,
        "rehearsal": probe.mechanism,
        "arguments": [_filled(argument, job.root) for argument in probe.arguments],
        "options": OPTIONS,
    }


def _filled(argument: str, root: Path) -> str:
    return argument.replace("{root}", str(root)).replace("{generated}", str(built(root)))


def _out(scratch: Path, probe: Probe) -> Path:
    # an id may name a folder of probes
    return scratch / f"{probe.id.replace('/', '.')}.jsonl"


def _environment(job: Job, scratch: Path) -> dict[str, str]:
    """Return all that a target is told: no token, no key, an empty home, nothing of the caller's Python."""
    kept = {key: os.environ[key] for key in ("SYSTEMROOT", "LD_LIBRARY_PATH") if key in os.environ}
    return kept | {
        "PATH": os.defpath,
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "ADK_PROBE_DISTRIBUTION": job.distribution,
        "ADK_PROBE_RELEASE": job.target.release,
    }


def _follow(watch: Watch, probes: dict[str, Probe], job: Job, scratch: Path, result: WorkerResult, tell: Tell) -> bool:
    current: Probe | None = None
    warmed = bool(result.modules)
    before = len(result.cells)
    first = True
    while True:
        limit = IMPORT_SECONDS if first else (current.timeout if current else 0.0) + SLACK_SECONDS
        try:
            event = watch.next(limit)
        except TimeoutError:
            event = {"event": "end", "id": current.id, "limit": "timeout"} if current else None
            if first and not warmed:
                result.fault = Fault(Outcome.ERROR, f"importing the engine took longer than {limit:g} s", Kind.TIMEOUT)
        if event is None or (current is not None and event.get("limit") == "timeout" and "tail" not in event):
            break
        match event.get("event"):
            case "warm" if first:
                first = False
                _warmed(event, job, result, warmed)
                if result.fault is not None:
                    return True
            case "start" if event.get("id") in probes:
                current = probes[event["id"]]
            case "end" if current is not None and event.get("id") == current.id:
                watch.unless_stopped(event.get("status"))
                result.cells[current.id] = _seen(current, event, job, scratch)
                tell(current.id, result)
                current = None
            case "bye":
                return True
    if event is None:
        watch.unless_stopped(watch.code())
    if current is not None:
        result.cells[current.id] = _lost(current, event, watch)
        tell(current.id, result)
    elif first and not warmed and result.fault is None:
        result.fault = _died_importing(watch, job, scratch)
    return len(result.cells) > before


def _warmed(event: dict[str, Any], job: Job, result: WorkerResult, again: bool) -> None:
    if not again:
        result.seconds_import, result.modules, result.network = event["seconds"], event["modules"], event["network"]
    if event["fault"]:
        result.fault = Fault(Outcome.ERROR, _redact(event["fault"], job), Kind.IMPORT)


def _lost(probe: Probe, event: dict[str, Any] | None, watch: Watch) -> CellResult:
    """Return what is said of a cell whose worker ended or went silent under it."""
    if event is not None:
        return _error(Kind.TIMEOUT, f"ran longer than its {probe.timeout:g} s and stopped the worker too")
    if (code := watch.code()) == 1:
        # a probe can kill its worker, but an exception in it is our own
        return _error(Kind.INFRASTRUCTURE, "the worker failed under it")
    return _error(Kind.CRASH, f"brought its worker down ({_ending(code)})")


def _died_importing(watch: Watch, job: Job, scratch: Path) -> Fault:
    try:
        output = tail_of(scratch / "output", 8192).decode("utf-8", "replace")
    except OSError:
        # the engine put something else there, or nothing
        output = ""
    words = _redact(_last_line(output), job)
    message = f"importing the engine ended the interpreter ({_ending(watch.code())})"
    return Fault(Outcome.ERROR, f"{message}: {words}" if words else message, Kind.IMPORT)


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return f"exit code {code}"


def _last_line(text: str) -> str:
    """Return the gist of what a process said last: of a traceback the exception with its first line, else the end."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    starts = [place for place, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")]
    after = lines[starts[-1] + 1 :] if starts else []
    output = next((line for line in after if not line[0].isspace()), lines[-1] if lines else "").strip()
    if output.startswith("SyntaxError"):
        where = next((line.strip() for line in reversed(after) if line.startswith("  File ")), "")
        output = f"{output} ({where})" if where else output
    return output[:600]


def _redact(text: str, job: Job) -> str:
    for secret, stand_in in sorted(job.redact.items(), key=lambda item: -len(item[0])):
        text = text.replace(secret, stand_in)
    # an id that is drawn anew in each run says nothing, and equal runs would differ by it
    return UUID.sub("<uuid>", text)


def _error(kind: Kind, message: str, output: ProbeOutput | None = None, seconds: float = 0.0) -> CellResult:
    facts = output.facts if output else {}
    measured = Measured(seconds, output.measured if output else {})
    return CellResult(Outcome.ERROR, message, kind, facts, (), measured)


def _seen(probe: Probe, event: dict[str, Any], job: Job, scratch: Path) -> CellResult:
    """Make sense of one ended cell: its records, its exit and the limits it may have broken."""
    seconds = float(event.get("seconds", 0.0))
    output = _redact_output(read_records(_out(scratch, probe), probe.id), job)
    words = _redact(_last_line(str(event.get("tail", ""))), job)
    limit, status = event.get("limit"), event.get("status")
    if limit == "timeout":
        return _error(Kind.TIMEOUT, f"ran longer than its {probe.timeout:g} s", output, seconds)
    if limit == "memory" or (status != 0 and output.done is None and words.startswith("MemoryError")):
        return _error(Kind.MEMORY, f"took more than its {probe.memory} MiB", output, seconds)
    if limit == "processes":
        return _error(Kind.CRASH, "started more processes than a probe may", output, seconds)
    if status != 0 and output.done is None and FULL_DISK in words:
        return _error(Kind.INFRASTRUCTURE, "no space left on the disk", output, seconds)
    if status != 0:
        message = _ending(status) + (f": {words}" if words else "")
        return _error(Kind.CRASH, message, output, seconds)
    if output.done is None or output.fault:
        return _error(Kind.PROTOCOL, output.fault or "ended well but never said that it was done", output, seconds)
    done = output.done
    message = _redact(done.message, job)
    warnings = tuple(CapturedWarning(one.category, _redact(one.message, job), one.origin) for one in done.warnings)
    return CellResult(done.outcome, message, done.kind, output.facts, warnings, Measured(seconds, output.measured))


def _redact_output(output: ProbeOutput, job: Job) -> ProbeOutput:
    """Return what a probe said with nothing of this machine in its facts."""
    return ProbeOutput(
        _redact_all(output.facts, job), _redact_all(output.measured, job), output.done, _redact(output.fault, job)
    )


def _redact_all(value: Any, job: Job) -> Any:
    match value:
        case str():
            return _redact(value, job)
        case list():
            return [_redact_all(each, job) for each in value]
        case dict():
            return {_redact(key, job): _redact_all(each, job) for key, each in value.items()}
    return value


def controlled(result: WorkerResult) -> bool:
    """Whether both controls came out as they must."""
    ends = {probe: result.cells[probe].outcome for probe in (CONTROL_PASS, CONTROL_FAIL) if probe in result.cells}
    return ends == {CONTROL_PASS: Outcome.PASS, CONTROL_FAIL: Outcome.FAIL}


def redactions(pairs: Iterable[tuple[Path | str, str]]) -> dict[str, str]:
    """Return the texts to hide, each also as its real path; the root folder hides nothing."""
    texts = {text: stand_in for path, stand_in in pairs for text in (str(path), os.path.realpath(path))}
    return {text: stand_in for text, stand_in in texts.items() if len(Path(text).parts) > 1}
