"""Evidence that is broken, half written or edited is named, never believed, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from fake import project
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_probe.evidence import store
from adk_probe.evidence.layout import to_document
from adk_probe.files import digest, to_readable_json
from adk_probe.model import (
    RESULT_SCHEMA,
    CapturedWarning,
    Environment,
    Kind,
    Lane,
    Measured,
    Observation,
    Outcome,
    RunRecord,
    Target,
    TargetResult,
)
from adk_probe.project.plan import Choice

TARGET = Target("fake-engine", "2.0", "3.12", Lane.TODAY)


def encoded(result: TargetResult) -> bytes:
    """Return the bytes of a target's file."""
    return to_readable_json(to_document(result))


RESULT = store.seal(
    TargetResult(
        RESULT_SCHEMA,
        TARGET,
        Environment("3.12.1", "CPython", "main", "linux-x86_64", ("fake-engine==2.0",)),
        None,
        (Observation("control-pass", Outcome.PASS), Observation("control-fail", Outcome.FAIL)),
        (
            Observation(
                "loop", Outcome.PASS, "fine", None, {"seen": [1, {"a": None}]}, (CapturedWarning("A", "b", "probe"),)
            ),
            Observation("crash", Outcome.ERROR, "exit code 1", Kind.CRASH),
        ),
        RunRecord("2026-01-01T00:00:00Z", {"import": 0.1}, 10, 20, "namespace", {"loop": Measured(0.1, {"ms": 2})}),
    )
)
DATA = encoded(RESULT)


def put(folder: Path, data: bytes) -> Path:
    path = folder / store.FOLDER / f"{TARGET.key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def check(folder: Path, data: bytes) -> str | None:
    """Return why evidence is none; what is believed must say what the run said."""
    found = store.read(put(folder, data))
    if isinstance(found, str):
        assert found
        assert "\n" not in found
        loaded = store.load(folder)
        assert loaded.results == {}
        assert loaded.faults == (store.Damaged(TARGET.key, f"{store.FOLDER}/{TARGET.key}.json", found),)
        assert store.load_one(folder, TARGET) is None
        return found
    assert same(found)
    return None


def same(found: TargetResult) -> bool:
    """Whether evidence says what the run said; the order of its parts and what varies from run to run aside."""
    return to_document(found) == to_document(RESULT)


def test_whole_evidence_is_read(tmp_path: Path) -> None:
    found = store.read(put(tmp_path, DATA))
    assert isinstance(found, TargetResult)
    assert same(found)


@given(cut=st.integers(0, len(DATA) - 2))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_half_written_evidence(tmp_path: Path, cut: int) -> None:
    assert check(tmp_path, DATA[:cut]) is not None


@given(place=st.integers(0, len(DATA) - 1), byte=st.integers(0, 255))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_flipped_byte(tmp_path: Path, place: int, byte: int) -> None:
    check(tmp_path, DATA[:place] + bytes([byte]) + DATA[place + 1 :])


@given(
    start=st.integers(0, len(DATA)),
    length=st.integers(0, 60),
    put_in=st.one_of(st.binary(max_size=40), st.sampled_from([b"null", b"{}", b"[]", b'"x"', b"1e999", b"-0", b"\\u"])),
)
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_replaced_stretch(tmp_path: Path, start: int, length: int, put_in: bytes) -> None:
    check(tmp_path, DATA[:start] + put_in + DATA[start + length :])


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += paths(inner, (*at, key))
    if isinstance(value, list):
        for number, inner in enumerate(value):
            found += paths(inner, (*at, number))
    return found


OTHER = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(at=st.sampled_from(paths(json.loads(DATA))), value=st.one_of(st.just(...), OTHER), resealed=st.booleans())
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_edited_value(tmp_path: Path, at: tuple[Any, ...], value: Any, resealed: bool) -> None:
    document = json.loads(DATA)
    holder = document
    for key in at[:-1]:
        holder = holder[key]
    if value is ...:
        del holder[at[-1]]
    else:
        holder[at[-1]] = value
    if resealed:
        # who edits evidence may know how it is sealed; what comes of it must still be a value of its type
        plain = {key: each for key, each in document.items() if key != "digest"}
        try:
            document["digest"] = digest(plain)
        except (msgspec.MsgspecError, OverflowError, ValueError):
            resealed = False
    found = store.read(put(tmp_path, json.dumps(document).encode()))
    if isinstance(found, str):
        assert "\n" not in found
    elif not resealed:
        assert same(found)
    else:
        assert found.target.order
        assert found.target.key == TARGET.key


@pytest.mark.parametrize("depth", [100, 500, 900, 940, 950, 960, 970, 980, 5000, 100_000])
def test_deep_nesting(tmp_path: Path, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    assert check(tmp_path, deep) is not None
    assert check(tmp_path, DATA.replace(b'"seen": [', b'"seen": ' + deep + b', "more": [')) is not None


def test_other_schema_and_other_target_are_named(tmp_path: Path) -> None:
    newer = to_readable_json(msgspec.structs.replace(to_document(RESULT), schema="adk-probe.result/99"))
    assert check(tmp_path, newer) == f"has schema 'adk-probe.result/99', not {RESULT_SCHEMA!r}"
    other = store.seal(msgspec.structs.replace(RESULT, target=msgspec.structs.replace(TARGET, release="2.1")))
    assert check(tmp_path, encoded(other)) == "is the evidence of fake-engine-2.1-py3.12-today"


@pytest.mark.parametrize(("release", "python"), [("not-a-release", "3.12"), ("2.0", "three"), ("2.0", "3.x")])
def test_target_that_cannot_be(tmp_path: Path, release: str, python: str) -> None:
    target = msgspec.structs.replace(TARGET, release=release, python=python)
    path = tmp_path / f"{target.key}.json"
    path.write_bytes(encoded(store.seal(msgspec.structs.replace(RESULT, target=target))))
    assert isinstance(store.read(path), str)


def test_folder_in_the_place_of_evidence(tmp_path: Path) -> None:
    (tmp_path / store.FOLDER / f"{TARGET.key}.json").mkdir(parents=True)
    (fault,) = store.load(tmp_path).faults
    assert fault.why.endswith("cannot be read: it is a folder, not a file")


def test_what_varies_is_not_digested() -> None:
    other = store.seal(msgspec.structs.replace(RESULT, run=RunRecord()))
    assert other.digest == RESULT.digest
    assert store.seal(msgspec.structs.replace(RESULT, cells=())).digest != RESULT.digest


@pytest.mark.parametrize("data", [b"", b"{}", b"null", b"\xff\xfe", DATA[:300], DATA.replace(b"fine", b"well"), None])
def test_run_makes_broken_evidence_anew(fresh: Path, data: bytes | None) -> None:
    choice = Choice(engine="fake-engine", release="2.0", probes=("import",))
    project.run(fresh, choice)
    (path,) = (fresh / store.FOLDER).glob("*.json")
    before = json.loads(path.read_bytes())
    changed = path.read_bytes().replace(b'"it imports"', b'"it does not"') if data is None else data
    path.write_bytes(changed)
    (note,) = project.judged(fresh).notes
    assert note.startswith(f"{store.FOLDER}/{path.name}: ")
    assert project.run(fresh, choice).probes == {"import"}
    assert json.loads(path.read_bytes())["digest"] == before["digest"]
    assert project.judged(fresh).notes == ()
