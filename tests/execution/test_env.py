"""Whether an environment cannot be made, or the index, the disk or uv failed us, is never mixed up."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake import engine
from fake.server import Index

from adk_probe.execution import env, uv
from adk_probe.model import Fault, Kind, Lane, Target
from adk_probe.project.config import Engine

ENGINE = Engine("fake-engine", "fake_engine", "probes/fake")
UPLOADED = "2024-01-10T12:00:00Z"


def target(release: str = "0.9", lane: Lane = Lane.TODAY) -> Target:
    return Target("fake-engine", release, "3.12", lane)


@pytest.fixture
def index(offline: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Index]:
    """Serve the fake engine to a uv that has nothing in its cache and asks once."""
    with Index(engine.dists()) as found:
        monkeypatch.setenv("UV_DEFAULT_INDEX", found.address)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("UV_HTTP_RETRIES", "0")
        yield found


def resolve(at: Target | None = None, about: Engine = ENGINE) -> tuple[str, ...]:
    return resolved(at, about).pins


def resolved(at: Target | None = None, about: Engine = ENGINE) -> env.Resolved:
    return env.resolve(at or target(), about, UPLOADED, sys.executable, 60)


def fault(at: Target | None = None) -> Fault:
    with pytest.raises(env.Failed) as caught:
        resolve(at)
    assert "127.0.0.1" not in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value.fault


def test_lanes(index: Index) -> None:
    assert resolve() == ("fake-dep==2.0", "fake-engine==0.9")
    assert resolve(target(lane=Lane.AS_RELEASED)) == ("fake-dep==1.0", "fake-engine==0.9")


def test_further_requirements(index: Index) -> None:
    more = Engine("fake-engine", "fake_engine", "probes/fake", requires=("fake-dep<2",))
    assert resolve(about=more) == ("fake-dep==1.0", "fake-engine==0.9")


def test_pins_have_the_hashes_of_the_index(index: Index) -> None:
    found = resolved()
    assert found.pins == ("fake-dep==2.0", "fake-engine==0.9")
    for name in ("fake_dep-2.0-py3-none-any.whl", "fake_engine-0.9-py3-none-any.whl"):
        assert f"--hash=sha256:{hashlib.sha256(index.dists[name].data).hexdigest()}" in found.requirements


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
@pytest.mark.parametrize("path", ["/simple/fake-engine/", "/files/fake_engine-0.9-py3-none-any.whl.metadata"])
def test_index_that_does_not_answer(index: Index, monkeypatch: pytest.MonkeyPatch, status: int, path: str) -> None:
    reply = index.reply
    monkeypatch.setattr(index, "reply", lambda at: (status, "text/plain", b"no") if at == path else reply(at))
    assert fault().kind is Kind.INFRASTRUCTURE


def test_dependency_that_is_not_there_is_the_release_s_own_fault(index: Index) -> None:
    found = fault(target("1.5"))
    assert found.kind is Kind.RESOLVE
    assert "no-such-distribution was not found" in found.message


def test_dependency_that_is_kept_from_us_is_not(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = index.reply
    monkeypatch.setattr(index, "reply", lambda at: (403, "text/plain", b"no") if "fake-dep" in at else reply(at))
    assert fault().kind is Kind.INFRASTRUCTURE


def test_uv_that_may_not_ask(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    assert fault().kind is Kind.INFRASTRUCTURE


def test_release_that_this_index_lacks(index: Index) -> None:
    found = fault(target("7.7"))
    assert found.kind is Kind.INFRASTRUCTURE
    assert "the package index in use has no such release of fake-engine" in found.message


def test_index_without_upload_times(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = index.reply

    def without(at: str) -> tuple[int, str, bytes]:
        status, kind, data = reply(at)
        if at.startswith("/simple/"):
            page = json.loads(data)
            page["files"] = [
                {key: value for key, value in file.items() if key != "upload-time"} for file in page["files"]
            ]
            data = json.dumps(page).encode()
        return status, kind, data

    monkeypatch.setattr(index, "reply", without)
    assert fault(target(lane=Lane.AS_RELEASED)).kind is Kind.INFRASTRUCTURE


def test_uv_that_takes_too_long(index: Index) -> None:
    with pytest.raises(env.Failed, match=r"uv pip took longer than 0\.001 seconds") as caught:
        env.resolve(target(), ENGINE, UPLOADED, sys.executable, 0.001)
    assert caught.value.fault.kind is Kind.INFRASTRUCTURE


def test_sdist_is_never_built(index: Index) -> None:
    found = fault(target("1.9"))
    assert found.kind is Kind.RESOLVE
    assert not [path for path in index.requests if path.endswith(".tar.gz")]


def test_install_and_size(index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "env"
    folder.mkdir()
    (folder / "left-over").touch()
    built = env.install(folder, target(), resolved(), sys.executable, 60)
    assert built.python == env.python_of(folder)
    assert built.python.exists()
    assert not (folder / "left-over").exists()
    assert built.size_bytes == env.size(folder) > 0
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(bytes(1000))
    assert env.size(folder) == built.size_bytes


def test_failed_install_leaves_no_folder(index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "env"
    with pytest.raises(env.Failed) as caught:
        env.install(folder, target("1.10"), resolved(target("1.10")), sys.executable, 60)
    assert caught.value.fault.kind is Kind.INSTALL
    assert not folder.exists()
    with pytest.raises(env.Failed):
        env.install(folder, target(), resolved(), str(tmp_path / "no-python"), 60)
    (tmp_path / "file").touch()
    with pytest.raises(env.Failed) as caught:
        env.install(tmp_path / "file" / "env", target(), resolved(), sys.executable, 60)
    assert caught.value.fault.kind is Kind.INFRASTRUCTURE


def test_last_words_hold_no_address_and_no_place() -> None:
    said = (
        "Using Python\nwarning: old\nerror: Failed: `https://me:word@host/simple/x`\n  ╰─▶ in /home/me/.cache/a b: no"
    )
    words = uv.UvResult(2, "", said).last_words()
    assert words == "error: Failed: `<index> in <path> b: no"
    assert len(uv.UvResult(2, "", "x" * 9999).last_words()) == 400
