"""``reports/timings.json``: what varies from run to run, of all targets: dates, seconds, sizes, a probe's own measures.

It is no evidence. A file that cannot be read counts as one that says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.files import read_file, to_readable_json, write_atomic
from adk_probe.model import Measured, RunRecord

FILE = "reports/timings.json"
TIMINGS_SCHEMA = "adk-probe.timings/1"
CLAIMS = "claims"


class TargetTimings(msgspec.Struct, frozen=True, omit_defaults=True):
    """One target; see ``RunRecord``.

    Attributes:
        cells: seconds of each claim under ``claims``, of each scenario under ``fidelity/GRAPH/MECHANISM``.
        facts: measures of a probe's own, by its id.
    """

    when: str = ""
    seconds: dict[str, float] = {}
    size_bytes: int = 0
    modules: int = 0
    network: str = ""
    cells: dict[str, dict[str, float]] = {}
    facts: dict[str, dict[str, Any]] = {}


class Timings(msgspec.Struct, frozen=True):
    """The complete file, targets by key."""

    schema: str
    targets: dict[str, TargetTimings]


def load(root: Path) -> dict[str, RunRecord]:
    """Return what is known of each target, by its key."""
    return {key: _record(each) for key, each in _read(root).items()}


def save(root: Path, records: Mapping[str, RunRecord]) -> None:
    """Put the records of targets in the place of those that are there; all others stay.

    Raises:
        InfrastructureError: it cannot be written; what was there stays.
    """
    every = {**_read(root), **{key: _compact(record) for key, record in records.items()}}
    write_atomic(root / FILE, to_readable_json(Timings(TIMINGS_SCHEMA, every)), FILE)


def _read(root: Path) -> dict[str, TargetTimings]:
    try:
        found = msgspec.json.decode(read_file(root / FILE), type=Timings)
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
    return found.targets if found.schema == TIMINGS_SCHEMA else {}


def _compact(record: RunRecord) -> TargetTimings:
    cells: dict[str, dict[str, float]] = {}
    for probe, measured in record.cells.items():
        group, name = _place(probe)
        cells.setdefault(group, {})[name] = round(measured.seconds, 2)
    facts = {probe: measured.facts for probe, measured in record.cells.items() if measured.facts}
    seconds = {name: round(value, 2) for name, value in record.seconds.items()}
    return TargetTimings(record.when, seconds, record.size_bytes, record.modules, record.network, cells, facts)


def _record(timings: TargetTimings) -> RunRecord:
    cells = {probe: Measured(seconds, timings.facts.get(probe, {})) for probe, seconds in _cells(timings)}
    return RunRecord(
        timings.when, timings.seconds, timings.size_bytes, timings.modules, timings.network, dict(sorted(cells.items()))
    )


def _cells(timings: TargetTimings) -> Iterator[tuple[str, float]]:
    for group, each in timings.cells.items():
        for name, seconds in each.items():
            yield name if group == CLAIMS else f"{group}/{name}", seconds


def _place(probe: str) -> tuple[str, str]:
    group, _, name = probe.rpartition("/")
    return (group, name) if probe.startswith("fidelity/") and probe.count("/") == 3 else (CLAIMS, probe)
