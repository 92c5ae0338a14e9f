"""The JSON Lines that a probe writes: ``hello``, any number of ``fact``, one ``done``."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.model import CapturedWarning, Kind, Outcome

PROTOCOL = 1
LIMIT = 4 << 20
UUID = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z])")
# evidence nests facts once more, and every reader of it has a limit of its own
DEPTH = 64


class Hello(msgspec.Struct, frozen=True, tag="hello", tag_field="type"):
    """The first record."""

    protocol: int
    id: str


class Fact(msgspec.Struct, frozen=True, tag="fact", tag_field="type"):
    """Something seen; ``measured`` when it varies from run to run."""

    name: str
    value: Any
    measured: bool = False


class Done(msgspec.Struct, frozen=True, tag="done", tag_field="type"):
    """The last record."""

    outcome: Outcome
    message: str = ""
    kind: Kind | None = None
    warnings: tuple[CapturedWarning, ...] = ()


class ProbeOutput(msgspec.Struct):
    """All that a probe said; ``fault`` where it did not keep to the protocol."""

    facts: dict[str, Any] = {}
    measured: dict[str, Any] = {}
    done: Done | None = None
    fault: str = ""


def steady(text: str) -> str:
    """Return a text in which ``<uuid>`` stands for each UUID: an engine draws them, so equal runs would differ."""
    return UUID.sub("<uuid>", text)


def read_records(path: Path, probe: str) -> ProbeOutput:
    """Read a probe's records; what is broken or too much ends up in ``fault``, never in an exception."""
    output = ProbeOutput()
    try:
        # a probe may have put anything there: a pipe would make us wait, a link lead out of its folder
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as file:
            plain = stat.S_ISREG(os.fstat(handle).st_mode)
            data = file.read(LIMIT + 1) if plain else b""
    except OSError:
        output.fault = "wrote no record at all"
        return output
    if not plain:
        output.fault = "put something else in the place of its file of records"
        return output
    if len(data) > LIMIT:
        output.fault = f"wrote more than {LIMIT >> 20} MiB of records"
        return output
    for number, line in enumerate(data.splitlines(), 1):
        try:
            record = msgspec.json.decode(line, type=Hello | Fact | Done)
        except (msgspec.DecodeError, RecursionError) as error:
            output.fault = f"record {number} is broken: {error}"
            return output
        if (fault := _take(output, record, number, probe)) is not None:
            output.fault = fault
            return output
    return output


def _take(output: ProbeOutput, record: Hello | Fact | Done, number: int, probe: str) -> str | None:
    if output.done is not None:
        return f"record {number} comes after `done`"
    if (number == 1) != isinstance(record, Hello):
        return f"record {number}: `hello` comes first and once"
    match record:
        case Hello(protocol=protocol, id=name) if (protocol, name) != (PROTOCOL, probe):
            return f"speaks protocol {protocol} as {name!r}; expected {PROTOCOL} as {probe!r}"
        case Fact(name=name, value=value) if _deep(value):
            return f"record {number}: fact {name!r} is nested deeper than {DEPTH}"
        case Fact(name=name, value=value, measured=measured):
            (output.measured if measured else output.facts)[name] = value
        case Done():
            if (record.kind is None) != (record.outcome is not Outcome.ERROR):
                return "an error, and only an error, has a kind"
            if record.outcome in (Outcome.UNSUPPORTED, Outcome.UNAVAILABLE):
                return f"a probe cannot find {record.outcome}"
            output.done = record
    return None


def _deep(value: Any) -> bool:
    layer, depth = [value], 0
    while layer and depth <= DEPTH:
        layer = [
            inner
            for each in layer
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        depth += 1
    return bool(layer)
