"""A journal gives back every line that was written whole, wherever it was cut off."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
import samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_probe.errors import InfrastructureError
from adk_probe.evidence import journal
from adk_probe.model import Measured, Observation, Outcome, RunRecord

TARGET = samples.target()
HEADER = journal.Header(
    TARGET, samples.ENVIRONMENT, RunRecord("2026-01-01T00:00:00Z", {"import": 1.0}, 5, 6, "namespace"), "2026-01-01"
)
CONTROLS = (Observation("control-pass", Outcome.PASS), Observation("control-fail", Outcome.FAIL))


def written(path: Path, *names: str, header: bool = True) -> Path:
    if header:
        journal.begin(path, HEADER)
    for number, seen in enumerate((*CONTROLS, *map(samples.observation, names))):
        journal.add(path, journal.Line(f"2026-01-01T00:00:1{number}Z", seen, Measured(0.5, {"ms": number})))
    return path


def names(path: Path) -> list[str]:
    found = journal.read(path)
    assert found is not None
    return [cell.probe for cell in found.cells]


def test_what_was_seen_is_told(tmp_path: Path) -> None:
    found = journal.read(written(tmp_path / "deep" / "one.jsonl", "b", "a"))
    assert found is not None
    assert found.controlled
    assert (found.target, found.environment) == (TARGET, samples.ENVIRONMENT)
    assert found.cells == (samples.observation("a"), samples.observation("b"))
    assert found.run == RunRecord(
        "2026-01-01T00:00:13Z",
        {"import": 1.0, "probes": 1.0},
        5,
        6,
        "namespace",
        {"a": Measured(0.5, {"ms": 3}), "b": Measured(0.5, {"ms": 2})},
    )


def test_beginning_again_forgets(tmp_path: Path) -> None:
    path = written(tmp_path / "one.jsonl", "a")
    journal.begin(path, HEADER)
    found = journal.read(path)
    assert found is not None
    assert (found.cells, found.controlled) == ((), False)


def test_the_last_word_on_a_cell_counts(tmp_path: Path) -> None:
    path = written(tmp_path / "one.jsonl", "a")
    again = msgspec.structs.replace(samples.observation("a"), message="again")
    journal.add(path, journal.Line("2026-01-01T00:00:20Z", again, Measured()))
    found = journal.read(path)
    assert found is not None
    assert found.cells == (again,)


@given(cut=st.integers(0, 20000))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_cut_off_anywhere(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path / "one.jsonl", "a", "b", "c")
    data = path.read_bytes()[:cut]
    path.write_bytes(data)
    lines = data.count(b"\n")
    found = journal.read(path)
    assert (found is None) == (lines == 0)
    if found is not None:
        assert [cell.probe for cell in found.cells] == ["a", "b", "c"][: max(0, lines - 3)]
        assert found.controlled == (lines >= 3)


@pytest.mark.parametrize("rubbish", [b"", b"{}", b"rubbish", b"\xff", b"[" * 5000, b'{"type":"cell"}'])
def test_broken_line_costs_itself_alone(tmp_path: Path, rubbish: bytes) -> None:
    path = written(tmp_path / "one.jsonl", "a", "b")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], rubbish + b"\n", *lines[4:]]))
    assert names(path) == ["a", "b"]
    path.write_bytes(b"".join([rubbish + b"\n", *lines[1:]]))
    assert journal.read(path) is None


def test_no_journal(tmp_path: Path) -> None:
    assert journal.read(tmp_path / "none.jsonl") is None
    (tmp_path / "folder").mkdir()
    assert journal.read(tmp_path / "folder") is None
    assert journal.read(written(tmp_path / "headless.jsonl", "a", header=False)) is None


def test_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "one.jsonl", "a")
    line = journal.Line("", samples.observation("b"), Measured())
    with monkeypatch.context() as patch:
        # the kernel may take a part
        patch.setattr(os, "write", lambda handle, data: len(data) // 2)
        with pytest.raises(InfrastructureError, match="No space left"):
            journal.add(path, line)
    (tmp_path / "file").touch()
    with pytest.raises(InfrastructureError, match="cannot be written: File exists"):
        journal.add(tmp_path / "file" / "one.jsonl", line)
