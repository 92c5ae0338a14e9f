"""Files are written whole or not at all, and the same value always has the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_probe.errors import InfrastructureError
from adk_probe.execution.run import redactions
from adk_probe.files import digest, to_json, write_atomic
from adk_probe.machine.state import HOME_VARIABLE, Local, State, stamp
from adk_probe.model import Interpreter, Lane, Target

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(value=st.dictionaries(st.text(), VALUES, max_size=5))
@settings(deadline=None)
def test_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    turned = dict(reversed(value.items()))
    assert to_json(turned) == to_json(value)
    assert digest(turned) == digest(value)
    assert json.loads(to_json(value)) == value
    assert to_json(value).endswith(b"\n")


@given(one=VALUES, other=VALUES)
@settings(deadline=None)
def test_digest_tells_values_apart(one: Any, other: Any) -> None:
    same = msgspec.json.encode(one, order="deterministic") == msgspec.json.encode(other, order="deterministic")
    assert (digest(one) == digest(other)) is same


def test_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "file.json"
    assert write_atomic(path, b"one")
    assert not write_atomic(path, b"one")
    assert write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert [each.name for each in path.parent.iterdir()] == ["file.json"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_written_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.json"
    write_atomic(path, b"one")

    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(InfrastructureError, match=r"file\.json: cannot be written: No space left") as caught:
        write_atomic(path, b"two")
    assert caught.value.exit_code == 3
    assert str(tmp_path) not in str(caught.value)
    assert [each.name for each in tmp_path.iterdir()] == ["file.json"]
    assert path.read_bytes() == b"one"


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InfrastructureError, match="cannot be written"):
        write_atomic(tmp_path / "file" / "inner.json", b"one")


TARGET = Target("one", "1.0", "3.12", Lane.TODAY)


def test_local_knowledge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOME_VARIABLE, raising=False)
    local = Local(tmp_path)
    assert local.state(TARGET) == State()
    known = State(
        Interpreter("/x", "3.12.1", "CPython", "b", "p"), (1, 2), "2026-01-01", (), ("one==1.0",), 0.5, (3, 4.0)
    )
    local.keep(TARGET, known)
    assert local.state(TARGET) == known
    (path,) = (tmp_path / ".adk-probe" / "state").iterdir()
    for data in (b"", b"{", b"[]", b"\xff", b"[" * 100_000):
        path.write_bytes(data)
        assert local.state(TARGET) == State()
        assert local.unavailable() == {}
    local.keep(TARGET, State(unavailable="no such Python"))
    assert local.unavailable() == {TARGET.key: "no such Python"}
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "elsewhere"))
    assert Local(tmp_path).state(TARGET) == State()


def test_environment_is_forgotten(tmp_path: Path) -> None:
    local = Local(tmp_path)
    (local.environment(TARGET) / "bin").mkdir(parents=True)
    local.forget(TARGET)
    assert not local.environment(TARGET).exists()
    local.forget(TARGET)


def test_stamp(tmp_path: Path) -> None:
    path = tmp_path / "python"
    assert stamp(str(path)) == (0, 0)
    path.write_bytes(b"four")
    assert stamp(str(path))[0] == 4


def test_lock_that_cannot_be_taken(tmp_path: Path) -> None:
    (tmp_path / ".adk-probe").touch()
    with pytest.raises(InfrastructureError, match="cannot be written"), Local(tmp_path).lock():
        pass


def test_what_is_hidden(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    found = redactions(
        [(tmp_path / "link", "<env>"), (Path("/"), "<home>"), ("", "<none>"), (Path.cwd().anchor, "<root>")]
    )
    assert found[str(tmp_path / "link")] == found[str((tmp_path / "real").resolve())] == "<env>"
    assert "/" not in found
    assert "" not in found
