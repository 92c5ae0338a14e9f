"""What a run has seen of a target so far, a line for each finished cell: a run that is killed loses none of them.

The file is JSON Lines in this machine's local state. A line that is cut off or broken is ignored. It lives until its
cells are in the evidence.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from adk_probe.errors import InfrastructureError
from adk_probe.files import RETRY
from adk_probe.model import (
    CONTROL_FAIL,
    CONTROL_PASS,
    RESULT_SCHEMA,
    Environment,
    Measured,
    Observation,
    RunRecord,
    Target,
    TargetResult,
)


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="type"):
    """The first line: what the cells were run in, and what is known of the run when its first cell ends.

    Attributes:
        resolved: the day (UTC, ISO 8601) on which the index gave the pins.
    """

    target: Target
    environment: Environment
    record: RunRecord
    resolved: str


class Line(msgspec.Struct, frozen=True, tag="cell", tag_field="type"):
    """A finished cell; ``when`` is UTC, ISO 8601."""

    when: str
    observation: Observation
    measured: Measured


def begin(path: Path, header: Header) -> None:
    """Start a journal; one that was there is gone.

    Raises:
        InfrastructureError: it cannot be written.
    """
    _write(path, header, os.O_TRUNC)


def add(path: Path, line: Line) -> None:
    """Append a finished cell; raises InfrastructureError where it cannot be written."""
    _write(path, line, os.O_APPEND)


def _write(path: Path, record: Header | Line, how: int) -> None:
    data = msgspec.json.encode(record) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | how, 0o644)
        try:
            whole = os.write(handle, data) == len(data)
        finally:
            os.close(handle)
    except OSError as error:
        raise InfrastructureError(f"the journal {path.name} cannot be written: {error.strerror}", RETRY) from None
    if not whole:
        raise InfrastructureError(f"the journal {path.name} cannot be written: No space left on device", RETRY)


def read(path: Path) -> TargetResult | None:
    """Return what a journal holds, as evidence that is not sealed; None where it has no good header."""
    try:
        lines = path.read_bytes().split(b"\n")[:-1]  # what follows the last line end was cut off
        header = msgspec.json.decode(lines[0], type=Header) if lines else None
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    if header is None:
        return None
    cells = {line.observation.probe: line for line in map(_line, lines[1:]) if line is not None}
    controls = [cells.pop(name).observation for name in (CONTROL_PASS, CONTROL_FAIL) if name in cells]
    measured = {name: line.measured for name, line in sorted(cells.items())}
    seconds = {**header.record.seconds, "probes": round(sum(each.seconds for each in measured.values()), 4)}
    when = max([header.record.when, *(line.when for line in cells.values())])
    return TargetResult(
        RESULT_SCHEMA,
        header.target,
        header.environment,
        None,
        tuple(controls),
        tuple(line.observation for _, line in sorted(cells.items())),
        msgspec.structs.replace(header.record, when=when, seconds=seconds, cells=measured),
        header.resolved,
    )


def _line(data: bytes) -> Line | None:
    try:
        return msgspec.json.decode(data, type=Line)
    except (msgspec.DecodeError, RecursionError):
        return None
