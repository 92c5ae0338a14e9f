"""An index that fails in every way: only what is known to be the release's own fault is called that."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from fake import engine
from fake.server import Index, Trick
from fake.wheels import Dist, repacked, wheel

from adk_probe.execution import env, refusals, uv
from adk_probe.model import Fault, Kind, Lane, Target
from adk_probe.project.config import Engine

ENGINE = Engine("fake-engine", "fake_engine", "probes/fake")
UPLOADED = "2024-01-10T12:00:00Z"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
ENGINE_WHEEL = "/files/fake_engine-0.9-py3-none-any.whl"
DEP_WHEEL = "/files/fake_dep-2.0-py3-none-any.whl"
PAGES = ["/simple/fake-engine/", "/simple/fake-dep/"]
STATUSES = [401, 403, 404, 407, 429, 500, 503]
PINS = ("fake-dep==2.0", "fake-engine==0.9")


def target(release: str = "0.9", lane: Lane = Lane.TODAY) -> Target:
    return Target("fake-engine", release, PYTHON, lane)


@pytest.fixture
def index(offline: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Index]:
    """Serve the fake engine to a uv that has nothing in its cache, asks once and waits a second."""
    with Index(engine.dists()) as found:
        monkeypatch.setenv("UV_DEFAULT_INDEX", found.address)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("UV_HTTP_RETRIES", "0")
        monkeypatch.setenv("UV_HTTP_TIMEOUT", "1")
        yield found


def resolve(release: str = "0.9", before: tuple[str, ...] = (), lane: Lane = Lane.TODAY) -> env.Resolved:
    return env.resolve(target(release, lane), ENGINE, UPLOADED, sys.executable, 60, before)


def refused(release: str = "0.9", before: tuple[str, ...] = (), lane: Lane = Lane.TODAY) -> Fault:
    with pytest.raises(env.Failed) as caught:
        resolve(release, before, lane)
    return told(caught.value.fault)


def install(at: Path, resolved: env.Resolved, release: str = "0.9") -> Fault:
    with pytest.raises(env.Failed) as caught:
        env.install(at / "env", target(release), resolved, sys.executable, 60)
    assert not (at / "env").exists()
    return told(caught.value.fault)


def told(fault: Fault) -> Fault:
    assert "127.0.0.1" not in fault.message
    assert "\n" not in fault.message
    return fault


# --- resolving ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trick", [*Trick, *STATUSES], ids=str)
@pytest.mark.parametrize("path", PAGES)
def test_page_that_is_broken(index: Index, path: str, trick: Trick | int) -> None:
    index.tricks[path] = trick
    assert refused(before=PINS).kind is Kind.INFRASTRUCTURE


@pytest.mark.parametrize("trick", [*(trick for trick in Trick if trick is not Trick.EMPTY), *STATUSES], ids=str)
@pytest.mark.parametrize("path", [f"{ENGINE_WHEEL}.metadata", f"{DEP_WHEEL}.metadata"])
def test_metadata_that_is_broken(index: Index, path: str, trick: Trick | int) -> None:
    index.tricks[path] = trick
    assert refused().kind is Kind.INFRASTRUCTURE


@pytest.mark.parametrize("trick", [Trick.CUT, Trick.SHORT, Trick.STALL, Trick.GARBAGE, 500], ids=str)
@pytest.mark.parametrize("path", [ENGINE_WHEEL, DEP_WHEEL])
def test_wheel_that_is_cut_off_while_its_metadata_is_read(index: Index, path: str, trick: Trick | int) -> None:
    # for uv a dependency that cannot be read is none, and it takes an older one without a word
    index.side_metadata = False
    index.tricks[path] = trick
    assert refused().kind is Kind.INFRASTRUCTURE


@pytest.mark.parametrize("trick", [Trick.SHORT, Trick.GARBAGE], ids=str)
def test_metadata_that_nobody_vouches_for(index: Index, trick: Trick) -> None:
    index.metadata_hashes = False
    index.tricks[f"{DEP_WHEEL}.metadata"] = trick
    found = refused()
    assert found.kind is Kind.INFRASTRUCTURE
    assert "what the package index serves of fake-dep 2.0 cannot be read" in found.message


def test_metadata_that_was_published_broken_is_passed_over(index: Index) -> None:
    name = "fake_dep-2.0-py3-none-any.whl"
    index.dists[name] = msgspec.structs.replace(index.dists[name], metadata=b"Metadata-Version: 2.1\n")
    assert resolve().pins == ("fake-dep==1.0", "fake-engine==0.9")
    own = "fake_engine-0.9-py3-none-any.whl"
    index.dists[own] = msgspec.structs.replace(index.dists[own], metadata=b"Metadata-Version: 2.1\n")
    index.answers.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UV_NO_CACHE", "1")
        found = refused()
    assert found.kind is Kind.RESOLVE
    assert "fake-engine==0.9 has invalid metadata" in found.message


def test_dependency_that_was_never_there_is_the_release_s_own_fault(index: Index) -> None:
    found = refused("1.5", before=PINS)
    assert found.kind is Kind.RESOLVE
    assert "no-such-distribution was not found" in found.message


def test_dependencies_that_contradict_each_other_are_the_release_s_own_fault(index: Index) -> None:
    assert refused("1.6", before=PINS).kind is Kind.RESOLVE


def test_dependency_that_was_there_before(index: Index) -> None:
    index.tricks["/simple/fake-dep/"] = 404
    found = refused(before=PINS)
    assert found.kind is Kind.INFRASTRUCTURE
    assert "the package index in use has no fake-dep as it had before" in found.message


@pytest.mark.parametrize("lane", list(Lane))
def test_release_that_this_index_lacks(index: Index, lane: Lane) -> None:
    found = refused("7.7", lane=lane)
    assert found.kind is Kind.INFRASTRUCTURE
    assert "the package index in use has no such release of fake-engine" in found.message


def test_dependency_without_an_upload_time(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, dist in index.dists.items():
        if dist.name == "fake-dep":
            index.dists[name] = msgspec.structs.replace(dist, uploaded="")
    assert refused(lane=Lane.AS_RELEASED).kind is Kind.INFRASTRUCTURE


SAID = "error: No solution found when resolving dependencies\n  cause: Because {}, your requirements are unsatisfiable."


@pytest.mark.parametrize(
    ("code", "words", "own"),
    [
        (1, SAID.format("a==1 depends on b>2 and only b<=2 is available"), True),
        (2, SAID.format("it cannot be"), False),
        (1, SAID.format("b was not found in the cache"), False),
        (1, SAID.format("a was not found") + "\nhint: … because the network was disabled", False),
        (1, SAID.format("b was not found") + "\nhint: An index (http://x/) returned a 403 Forbidden error.", False),
        (1, "error: No solution found when resolving dependencies", False),
        (1, "error: these requirements are unsatisfiable, said a proxy", False),
        (1, "error: something that nobody has ever read: no wheels", False),
        (-1, "uv pip took longer than 60 seconds", False),
        (101, "thread 'main' panicked", False),
        (1, SAID.format("b") + " No space left on device", False),
    ],
)  # fmt: skip
def test_answers_that_are_conclusions(code: int, words: str, own: bool) -> None:
    assert refusals.is_no_solution(uv.UvResult(code, "", words)) is own


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("there is no version of b==2 and a depends on b==2", "b"),
        ("there are no versions of b and a depends on b", "b"),
        ("only b<=1 is available and a depends on b>1", "b"),
        ("only the following versions of b are available: b==1 b==2", "b"),
        ("b was not found in the package registry", "b"),
        ("b-extra was not found in the package registry", ""),
        ("there is no version of b-extra==1", ""),
        ("a==1 depends on b==1 and b==2", ""),
    ],
)
def test_what_was_there_before(said: str, name: str) -> None:
    assert refusals.lost(uv.UvResult(1, "", SAID.format(said)), ["a", "B"]) == name


# --- installing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hashes", [True, False])
@pytest.mark.parametrize("trick", [*(trick for trick in Trick if trick is not Trick.EMPTY), *STATUSES], ids=str)
def test_wheel_that_does_not_arrive(index: Index, tmp_path: Path, trick: Trick | int, hashes: bool) -> None:
    found = resolve()
    index.hashes = hashes
    index.tricks[DEP_WHEEL] = trick
    fault = install(tmp_path, found)
    assert fault.kind is Kind.INFRASTRUCTURE
    assert fault.message.startswith("installing fake-engine 0.9, ")


@pytest.mark.parametrize("trick", [*Trick, *STATUSES], ids=str)
def test_page_that_is_broken_while_installing(index: Index, tmp_path: Path, trick: Trick | int) -> None:
    found = resolve()
    index.tricks["/simple/fake-dep/"] = trick
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UV_NO_CACHE", "1")
        assert install(tmp_path, found).kind is Kind.INFRASTRUCTURE


def test_good_wheel_that_is_another_one(index: Index, tmp_path: Path) -> None:
    found = resolve()
    name = DEP_WHEEL.rpartition("/")[2]
    index.dists[name] = wheel("fake-dep", "2.0", {"fake_dep/__init__.py": "OTHER = True\n"}, UPLOADED)
    fault = install(tmp_path, found)
    assert fault.kind is Kind.INFRASTRUCTURE
    assert "Hash mismatch" in fault.message


def test_index_that_is_gone(index: Index, tmp_path: Path) -> None:
    found = resolve()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UV_CACHE_DIR", str(tmp_path / "other"))
        index.stop()
        assert install(tmp_path, found).kind is Kind.INFRASTRUCTURE
        assert refused().kind is Kind.INFRASTRUCTURE


BROKEN = {
    "no RECORD": (lambda name, data: None if name.endswith("RECORD") else data, "it has no RECORD"),
    "no WHEEL": (lambda name, data: None if name.endswith("WHEEL") else data, "it has no WHEEL"),
    "no METADATA": (lambda name, data: None if name.endswith("METADATA") else data, "it has no METADATA"),
    "WHEEL": (lambda name, data: b"none" if name.endswith("WHEEL") else data, "its WHEEL has no Wheel-Version"),
    "RECORD": (lambda name, data: b'\xff"' if name.endswith("RECORD") else data, "its RECORD cannot be read"),
    "METADATA": (
        lambda name, data: data.replace(b"2.0", b"9.9") if name.endswith("METADATA") else data,
        "its METADATA is of fake-dep 9.9",
    ),
    "content": (
        lambda name, data: data + b"# more\n" if name.endswith("__init__.py") else data,
        "fake_dep/__init__.py in it is not what its RECORD says",
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_wheel_that_was_published_broken_is_the_release_s_own_fault(index: Index, tmp_path: Path, broken: str) -> None:
    change, words = BROKEN[broken]
    name = DEP_WHEEL.rpartition("/")[2]
    index.dists[name] = repacked(index.dists[name], change)
    fault = install(tmp_path, resolve())
    assert fault.kind is Kind.INSTALL
    assert words in fault.message


def test_checksum_that_was_published_wrong(index: Index, tmp_path: Path) -> None:
    fault = install(tmp_path, resolve("1.10"), "1.10")
    assert fault.kind is Kind.INSTALL
    assert "Bad CRC" in fault.message


def test_wheel_of_which_the_index_gives_no_hash_is_no_fault(index: Index, tmp_path: Path) -> None:
    found = resolve("1.10")
    index.hashes = False
    assert install(tmp_path, found, "1.10").kind is Kind.INFRASTRUCTURE


def test_fake_wheels_are_good(index: Index, tmp_path: Path) -> None:
    from adk_probe.execution import wheels

    def written(dist: Dist) -> str:
        (tmp_path / dist.filename).write_bytes(dist.data)
        return wheels.fault(tmp_path / dist.filename)

    faults = {name: written(dist) for name, dist in index.dists.items() if name.endswith(".whl")}
    assert {name for name, fault in faults.items() if fault} == {"fake_engine-1.10-py3-none-any.whl"}
