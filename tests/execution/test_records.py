"""What a probe writes is read to the byte, and anything else becomes a fault, never an exception."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_probe.execution.records import DEPTH, LIMIT, ProbeOutput, read_records, steady
from adk_probe.model import CapturedWarning, Kind, Outcome

HELLO = {"type": "hello", "protocol": 1, "id": "a"}
DONE = {"type": "done", "outcome": "pass"}
QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def read(folder: Path, data: bytes) -> ProbeOutput:
    path = folder / "a.jsonl"
    path.write_bytes(data)
    return read_records(path, "a")


def fact(value: Any, measured: bool = False, name: str = "f") -> dict[str, Any]:
    return {"type": "fact", "name": name, "value": value, "measured": measured}


def test_all_that_may_be_said(tmp_path: Path) -> None:
    heard = {"category": "UserWarning", "message": "m", "origin": "probe"}
    done = {**DONE, "outcome": "error", "kind": "crash", "message": "words", "warnings": [heard]}
    output = read(tmp_path, lines(HELLO, fact(1), fact(2, True), fact(3), done))
    assert (output.facts, output.measured, output.fault) == ({"f": 3}, {"f": 2}, "")
    assert output.done is not None
    assert (output.done.outcome, output.done.kind, output.done.message) == (Outcome.ERROR, Kind.CRASH, "words")
    assert output.done.warnings == (CapturedWarning("UserWarning", "m", "probe"),)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)  # fmt: skip


@given(value=VALUES)
@QUIET
def test_any_fact_comes_through(tmp_path: Path, value: Any) -> None:
    output = read(tmp_path, lines(HELLO, fact(value), DONE))
    assert (output.fault, output.facts) == ("", {"f": value})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (lines(DONE), "record 1: `hello` comes first and once"),
        (lines(HELLO, HELLO), "record 2: `hello` comes first and once"),
        (lines(HELLO, DONE, DONE), "record 3 comes after `done`"),
        (lines({**HELLO, "id": "b"}), "speaks protocol 1 as 'b'"),
        (lines({**HELLO, "protocol": 2}), "speaks protocol 2"),
        (lines(HELLO, {**DONE, "outcome": "error"}), "an error, and only an error, has a kind"),
        (lines(HELLO, {**DONE, "kind": "crash"}), "an error, and only an error, has a kind"),
        (lines(HELLO, {**DONE, "outcome": "unavailable"}), "a probe cannot find unavailable"),
        (lines(HELLO, {**DONE, "outcome": "splendid"}), "record 2 is broken"),
        (lines(HELLO, {"type": "other"}), "record 2 is broken"),
        (lines(HELLO) + b'{"type": "fact", "na', "record 2 is broken"),
        (lines(HELLO) + b"\n" + lines(DONE), "record 2 is broken"),
        (lines(HELLO) + b"[" * 10_000, "record 2 is broken"),
        (lines(HELLO) + b'{"type":"fact","name":"\\ud800","value":1}', "record 2 is broken"),
        (lines(3), "record 1 is broken"),
        (b"x" * (LIMIT + 1), "wrote more than 4 MiB of records"),
    ],
)
def test_fault(tmp_path: Path, data: bytes, words: str) -> None:
    assert read(tmp_path, data).fault.startswith(words)


def test_nothing_said_is_not_done(tmp_path: Path) -> None:
    assert read(tmp_path, b"") == ProbeOutput()
    assert read(tmp_path, lines(HELLO)).done is None
    assert read_records(tmp_path / "none", "a").fault == "wrote no record at all"


def test_depth_of_facts_is_bounded(tmp_path: Path) -> None:
    def nested(depth: int) -> Any:
        value: Any = 1
        for number in range(depth):
            value = [value] if number % 2 else {"a": value}
        return value

    assert read(tmp_path, lines(HELLO, fact(nested(DEPTH)), DONE)).fault == ""
    assert "nested deeper" in read(tmp_path, lines(HELLO, fact(nested(DEPTH + 1)), DONE)).fault


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    os.mkfifo(path)
    assert "something else" in read_records(path, "a").fault
    path.unlink()
    (tmp_path / "other").write_bytes(lines(HELLO, DONE))
    path.symlink_to(tmp_path / "other")
    assert read_records(path, "a").fault == "wrote no record at all"
    path.unlink()
    path.mkdir()
    assert read_records(path, "a").fault != ""


@given(data=st.binary(max_size=200), cut=st.integers(0, 200))
@QUIET
def test_any_bytes_are_a_fault_or_records(tmp_path: Path, data: bytes, cut: int) -> None:
    whole = lines(HELLO, fact(1), DONE)
    output = read(tmp_path, whole[:cut] + data)
    assert output.fault or output.done is None or output.done.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no call adk-fc6a1af9-05e9-4618-b1a2-70971d8f43fd here", "no call adk-<uuid> here"),
        ("e-FC6A1AF9-05E9-4618-B1A2-70971D8F43FD", "e-<uuid>"),
        ("a_fc6a1af9-05e9-4618-b1a2-70971d8f43fd, fc6a1af9-05e9-4618-b1a2-70971d8f43fd", "a_<uuid>, <uuid>"),
        ("fc6a1af9-05e9-4618-b1a2-70971d8f43f", "fc6a1af9-05e9-4618-b1a2-70971d8f43f"),
        ("0fc6a1af9-05e9-4618-b1a2-70971d8f43fd", "0fc6a1af9-05e9-4618-b1a2-70971d8f43fd"),
        ("2.0.0-today", "2.0.0-today"),
    ],
)
def test_ids_that_are_drawn_in_every_run_are_one_placeholder(text: str, expected: str) -> None:
    assert steady(text) == expected
