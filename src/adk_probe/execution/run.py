"""Environment × probes → observations; the only spawner of target code, and the owner of its time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.execution.records import Said, read_records
from adk_probe.execution.watch import Watch
from adk_probe.files import tail_of
from adk_probe.model import CONTROL_FAIL, CONTROL_PASS, Fault, Heard, Kind, Measured, Outcome, Probe, Target
from adk_probe.project.generated import built

WORKER = Path(__file__).parents[1] / "inside" / "worker.py"
IMPORT_SECONDS = 300.0
SLACK_SECONDS = 20.0
FULL_DISK = "No space left on device"
# -s: what a user's own site-packages hold is not part of a target
OPTIONS = ("-s",)


class Job(msgspec.Struct, frozen=True):
    """What to run in one environment.

    Attributes:
        hide: texts that must not show in evidence (folders of this machine) and what stands in for them.
    """

    target: Target
    python: Path
    root: Path
    warm: tuple[str, ...]
    distribution: str
    probes: tuple[Probe, ...]
    hide: dict[str, str]
    fork: bool = True


class Seen(msgspec.Struct, frozen=True):
    """What one cell showed, before it is given its digest."""

    outcome: Outcome
    message: str
    kind: Kind | None
    facts: dict[str, Any]
    warnings: tuple[Heard, ...]
    measured: Measured


class Ran(msgspec.Struct):
    """What a job showed: the warm import, then each cell by probe id; ``fault`` when nothing could be asked."""

    seconds_import: float = 0.0
    modules: int = 0
    network: str = ""
    fault: Fault | None = None
    seen: dict[str, Seen] = {}


Tell = Callable[[str, Ran], None]


def run(job: Job, stop: threading.Event, tell: Tell) -> Ran:
    """Run every probe of a job, controls first; ``tell`` is told each probe that ended, with all that was seen so far.

    A probe that brings the worker down costs its own cell; the rest goes on in a new worker.

    Raises:
        watch.Interrupted: ``stop`` was set; of every cell that had ended by then, ``tell`` was told.
    """
    ran = Ran()
    left = list(job.probes)
    while left and ran.fault is None:
        try:
            with tempfile.TemporaryDirectory(prefix="adk-probe-", ignore_cleanup_errors=True) as scratch:
                hide = {**job.hide, **hidden([(scratch, "<scratch>")])}
                ended = _one_worker(msgspec.structs.replace(job, hide=hide), left, Path(scratch), ran, stop, tell)
        except OSError as error:
            words = f"the worker cannot be run: {error.strerror or error}"
            ran.fault = Fault(Outcome.ERROR, words, Kind.INFRASTRUCTURE)
            break
        left = [probe for probe in left if probe.id not in ran.seen]
        if left and not ended and ran.fault is None:
            ran.fault = Fault(Outcome.ERROR, "the worker ended without a word", Kind.INFRASTRUCTURE)
    return ran


def _one_worker(job: Job, probes: list[Probe], scratch: Path, ran: Ran, stop: threading.Event, tell: Tell) -> bool:
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
        return _follow(watch, {probe.id: probe for probe in probes}, job, scratch, ran, tell)
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


def _follow(watch: Watch, probes: dict[str, Probe], job: Job, scratch: Path, ran: Ran, tell: Tell) -> bool:
    current: Probe | None = None
    warmed = bool(ran.modules)
    before = len(ran.seen)
    first = True
    while True:
        limit = IMPORT_SECONDS if first else (current.timeout if current else 0.0) + SLACK_SECONDS
        try:
            event = watch.next(limit)
        except TimeoutError:
            event = {"event": "end", "id": current.id, "limit": "timeout"} if current else None
            if first and not warmed:
                ran.fault = Fault(Outcome.ERROR, f"importing the engine took longer than {limit:g} s", Kind.TIMEOUT)
        if event is None or (current is not None and event.get("limit") == "timeout" and "tail" not in event):
            break
        match event.get("event"):
            case "warm" if first:
                first = False
                _warmed(event, job, ran, warmed)
                if ran.fault is not None:
                    return True
            case "start" if event.get("id") in probes:
                current = probes[event["id"]]
            case "end" if current is not None and event.get("id") == current.id:
                watch.unless_stopped(event.get("status"))
                ran.seen[current.id] = _seen(current, event, job, scratch)
                tell(current.id, ran)
                current = None
            case "bye":
                return True
    if event is None:
        watch.unless_stopped(watch.code())
    if current is not None:
        ran.seen[current.id] = _lost(current, event, watch)
        tell(current.id, ran)
    elif first and not warmed and ran.fault is None:
        ran.fault = _died_importing(watch, job, scratch)
    return len(ran.seen) > before


def _warmed(event: dict[str, Any], job: Job, ran: Ran, again: bool) -> None:
    if not again:
        ran.seconds_import, ran.modules, ran.network = event["seconds"], event["modules"], event["network"]
    if event["fault"]:
        ran.fault = Fault(Outcome.ERROR, _hide(event["fault"], job), Kind.IMPORT)


def _lost(probe: Probe, event: dict[str, Any] | None, watch: Watch) -> Seen:
    """Return what is said of a cell whose worker ended or went silent under it."""
    if event is not None:
        return _error(Kind.TIMEOUT, f"ran longer than its {probe.timeout:g} s and stopped the worker too")
    if (code := watch.code()) == 1:
        # a probe can kill its worker, but an exception in it is our own
        return _error(Kind.INFRASTRUCTURE, "the worker failed under it")
    return _error(Kind.CRASH, f"brought its worker down ({_ending(code)})")


def _died_importing(watch: Watch, job: Job, scratch: Path) -> Fault:
    try:
        said = tail_of(scratch / "output", 8192).decode("utf-8", "replace")
    except OSError:
        # the engine put something else there, or nothing
        said = ""
    words = _hide(_last_line(said), job)
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
    said = next((line for line in after if not line[0].isspace()), lines[-1] if lines else "").strip()
    if said.startswith("SyntaxError"):
        where = next((line.strip() for line in reversed(after) if line.startswith("  File ")), "")
        said = f"{said} ({where})" if where else said
    return said[:600]


def _hide(text: str, job: Job) -> str:
    for secret, stand_in in sorted(job.hide.items(), key=lambda item: -len(item[0])):
        text = text.replace(secret, stand_in)
    return text


def _error(kind: Kind, message: str, said: Said | None = None, seconds: float = 0.0) -> Seen:
    facts = said.facts if said else {}
    measured = Measured(seconds, said.measured if said else {})
    return Seen(Outcome.ERROR, message, kind, facts, (), measured)


def _seen(probe: Probe, event: dict[str, Any], job: Job, scratch: Path) -> Seen:
    """Make sense of one ended cell: its records, its exit and the limits it may have broken."""
    seconds = float(event.get("seconds", 0.0))
    said = _hidden_in(read_records(_out(scratch, probe), probe.id), job)
    words = _hide(_last_line(str(event.get("tail", ""))), job)
    limit, status = event.get("limit"), event.get("status")
    if limit == "timeout":
        return _error(Kind.TIMEOUT, f"ran longer than its {probe.timeout:g} s", said, seconds)
    if limit == "memory" or (status != 0 and said.done is None and words.startswith("MemoryError")):
        return _error(Kind.MEMORY, f"took more than its {probe.memory} MiB", said, seconds)
    if limit == "processes":
        return _error(Kind.CRASH, "started more processes than a probe may", said, seconds)
    if status != 0 and said.done is None and FULL_DISK in words:
        return _error(Kind.INFRASTRUCTURE, "no space left on the disk", said, seconds)
    if status != 0:
        message = _ending(status) + (f": {words}" if words else "")
        return _error(Kind.CRASH, message, said, seconds)
    if said.done is None or said.fault:
        return _error(Kind.PROTOCOL, said.fault or "ended well but never said that it was done", said, seconds)
    done = said.done
    message = _hide(done.message, job)
    warnings = tuple(Heard(one.category, _hide(one.message, job), one.origin) for one in done.warnings)
    return Seen(done.outcome, message, done.kind, said.facts, warnings, Measured(seconds, said.measured))


def _hidden_in(said: Said, job: Job) -> Said:
    """Return what a probe said with nothing of this machine in its facts."""
    return Said(_hide_all(said.facts, job), _hide_all(said.measured, job), said.done, _hide(said.fault, job))


def _hide_all(value: Any, job: Job) -> Any:
    match value:
        case str():
            return _hide(value, job)
        case list():
            return [_hide_all(each, job) for each in value]
        case dict():
            return {_hide(key, job): _hide_all(each, job) for key, each in value.items()}
    return value


def controlled(ran: Ran) -> bool:
    """Whether both controls came out as they must."""
    ends = {probe: ran.seen[probe].outcome for probe in (CONTROL_PASS, CONTROL_FAIL) if probe in ran.seen}
    return ends == {CONTROL_PASS: Outcome.PASS, CONTROL_FAIL: Outcome.FAIL}


def hidden(pairs: Iterable[tuple[Path | str, str]]) -> dict[str, str]:
    """Return the texts to hide, each also as its real path; the root folder hides nothing."""
    texts = {text: stand_in for path, stand_in in pairs for text in (str(path), os.path.realpath(path))}
    return {text: stand_in for text, stand_in in texts.items() if len(Path(text).parts) > 1}
