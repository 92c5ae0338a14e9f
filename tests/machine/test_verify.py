"""An environment is believed only while it is what was installed: every way of damaging it is named."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake import engine
from fake.server import Index
from fake.wheels import wheel

from adk_probe.execution import env
from adk_probe.machine import verify
from adk_probe.model import Kind, Lane, Target
from adk_probe.project.config import Engine

ENGINE = Engine("fake-engine", "fake_engine", "probes/fake")
UPLOADED = "2024-01-10T12:00:00Z"
TARGET = Target("fake-engine", "0.9", f"{sys.version_info.major}.{sys.version_info.minor}", Lane.TODAY)


@pytest.fixture
def index(offline: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Index]:
    with Index(engine.dists()) as found:
        monkeypatch.setenv("UV_DEFAULT_INDEX", found.address)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("UV_HTTP_RETRIES", "0")
        yield found


@pytest.fixture
def built(index: Index, tmp_path: Path) -> env.Built:
    return install(tmp_path / "env")


def install(folder: Path, target: Target = TARGET) -> env.Built:
    return env.install(folder, target, resolve(target), sys.executable, 60)


def resolve(target: Target = TARGET) -> env.Resolved:
    return env.resolve(target, ENGINE, UPLOADED, sys.executable, 60)


def packages(folder: Path) -> Path:
    (found,) = folder.glob("lib/*/site-packages")
    return found


def test_new_environment_is_complete_and_its_files_are_its_own(built: env.Built, tmp_path: Path) -> None:
    folder = tmp_path / "env"
    assert verify.check(folder, built.seal) is built.seal
    linked = [path for path in folder.rglob("*") if path.is_file() and path.lstat().st_nlink > 1]
    assert linked == []


def test_nothing_is_read_while_nothing_changes(
    built: env.Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr(hashlib, "file_digest", never)
    monkeypatch.setattr(verify, "_entries", never)
    assert verify.check(tmp_path / "env", built.seal) is built.seal


def test_bytecode_is_left_out(built: env.Built, tmp_path: Path) -> None:
    place = packages(tmp_path / "env") / "fake_engine" / "__pycache__"
    place.mkdir()
    (place / "x.cpython-312.pyc").write_bytes(b"compiled")
    assert verify.check(tmp_path / "env", built.seal) is built.seal


def test_files_that_are_only_touched_or_moved_are_good(built: env.Built, tmp_path: Path) -> None:
    os.utime(packages(tmp_path / "env") / "fake_engine" / "flow.py")
    again = verify.check(tmp_path / "env", built.seal)
    assert again.stamp != built.seal.stamp
    assert verify.check(tmp_path / "env", again) is again
    shutil.copytree(tmp_path / "env", tmp_path / "copy", symlinks=True)
    assert verify.check(tmp_path / "copy", again).own == again.own


def _append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def _edit_in_place(path: Path) -> None:
    """Change a byte and leave size and modification time as they were."""
    before = path.stat()
    data = path.read_bytes()
    path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.rename(path.with_suffix(".away"))
    path.symlink_to(path.with_suffix(".away"))


def _forged(path: Path) -> None:
    """Change a module and what its RECORD says of it."""
    _append(path)
    value = verify.urlsafe(hashlib.sha256(path.read_bytes()).digest())
    record = next(path.parents[1].glob("fake_engine-*.dist-info/RECORD"))
    lines = record.read_text().splitlines()
    new = f"fake_engine/flow.py,sha256={value},{path.stat().st_size}"
    record.write_text("\n".join(new if line.startswith("fake_engine/flow.py") else line for line in lines) + "\n")


DAMAGES: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "file gone": ("fake_engine/flow.py", Path.unlink, "fake_engine/flow.py is missing"),
    "package gone": ("fake_engine", shutil.rmtree, "fake_engine/__init__.py is missing, and 1 more"),
    "appended": ("fake_engine/flow.py", _append, "fake_engine/flow.py is not what its RECORD says"),
    "edited": ("fake_engine/flow.py", _edit_in_place, "fake_engine/flow.py is not what its RECORD says"),
    "FIFO": ("fake_engine/flow.py", _fifo, "fake_engine/flow.py is not what its RECORD says"),
    "link": ("fake_engine/flow.py", _link, "fake_engine/flow.away was not installed with the rest, and 1 more"),
    "stray module": ("fake_dep.py", Path.touch, "fake_dep.py was not installed with the rest"),
    "stray submodule": ("fake_engine/new.py", Path.touch, "fake_engine/new.py was not installed with the rest"),
    "stray .pth": ("zz.pth", Path.touch, "zz.pth was not installed with the rest"),
    "sourceless": ("fake_engine/new.pyc", Path.touch, "fake_engine/new.pyc was not installed with the rest"),
    "odd name": (
        os.fsdecode(b"odd\xff.py"),
        Path.touch,
        "odd\\udcff.py was not installed with the rest",
    ),
    "empty folder": ("namespace", Path.mkdir, "namespace is an empty folder that was not installed"),
    "RECORD gone": (
        "fake_engine-0.9.dist-info/RECORD",
        Path.unlink,
        "fake_engine-0.9.dist-info/METADATA was not installed with the rest",
    ),
    "RECORD changed": (
        "fake_engine-0.9.dist-info/RECORD",
        lambda path: path.write_bytes(path.read_bytes().replace(b"fake_engine/flow.py", b"fake_engine/else.py")),
        "fake_engine-0.9.dist-info/RECORD was changed",
    ),
    "RECORD unreadable": (
        "fake_engine-0.9.dist-info/RECORD",
        lambda path: path.write_bytes(b'\xff"'),
        "fake_engine-0.9.dist-info/RECORD cannot be read",
    ),
    "RECORD forged": ("fake_engine/flow.py", _forged, "fake_engine-0.9.dist-info/RECORD was changed"),
    "metadata gone": (
        "fake_engine-0.9.dist-info",
        shutil.rmtree,
        "fake_engine-0.9.dist-info/RECORD is missing",
    ),
    "settings": ("../../../pyvenv.cfg", _append, "pyvenv.cfg was changed"),
    "interpreter": ("../../../bin/python", Path.unlink, "bin/python is missing"),
    "second settings": ("../../../bin/pyvenv.cfg", Path.touch, "bin/pyvenv.cfg was not installed with the rest"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_named(built: env.Built, tmp_path: Path, damage: str) -> None:
    name, do, words = DAMAGES[damage]
    do(packages(tmp_path / "env") / name)
    with pytest.raises(verify.Damaged) as caught:
        verify.check(tmp_path / "env", built.seal)
    assert any(words.partition(", and")[0] in fault for fault in caught.value.faults), caught.value.faults
    assert str(tmp_path) not in str(caught.value)


def test_message_names_the_first_file_and_counts_the_rest(built: env.Built, tmp_path: Path) -> None:
    shutil.rmtree(packages(tmp_path / "env") / "fake_engine")
    with pytest.raises(verify.Damaged, match=r"^lib/.*/fake_engine/__init__\.py is missing, and 1 more$"):
        verify.check(tmp_path / "env", built.seal)


def test_environment_that_is_gone(built: env.Built, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "env")
    with pytest.raises(verify.Damaged, match="cannot be read: No such file or directory"):
        verify.check(tmp_path / "env", built.seal)


def test_file_that_two_distributions_claim(index: Index, tmp_path: Path) -> None:
    shared = {"fake_dep/__init__.py": "OLD = True\n", "fake_engine/flow.py": "READY = 'no'\n"}
    index.dists["fake_dep-3.0-py3-none-any.whl"] = wheel("fake-dep", "3.0", shared, UPLOADED)
    built = install(tmp_path / "env")
    assert verify.check(tmp_path / "env", built.seal) is built.seal


# --- the cache ---------------------------------------------------------------------------------------------


def cached(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "cache").glob("archive-v*/*/fake_dep/__init__.py")
    return found


def test_environment_that_is_changed_changes_no_other(index: Index, tmp_path: Path) -> None:
    folders = [tmp_path / "env", tmp_path / "second"]
    first, second = map(install, folders)
    _append(packages(folders[0]) / "fake_dep" / "__init__.py")
    with pytest.raises(verify.Damaged):
        verify.check(folders[0], first.seal)
    assert verify.check(folders[1], second.seal) is second.seal
    third = install(tmp_path / "third")
    assert verify.check(tmp_path / "third", third.seal) is third.seal


@pytest.mark.parametrize("change", [_append, _edit_in_place, Path.unlink])
def test_cache_that_was_changed_is_filled_again(index: Index, tmp_path: Path, change: Callable[[Path], object]) -> None:
    install(tmp_path / "env")
    poisoned = cached(tmp_path)
    change(poisoned)
    asked = len(index.requests)
    built = install(tmp_path / "second")
    assert verify.check(tmp_path / "second", built.seal) is built.seal
    assert "/files/fake_dep-2.0-py3-none-any.whl" in index.requests[asked:]
    # the cache itself is good again, so that nothing is fetched any more
    asked = len(index.requests)
    install(tmp_path / "third")
    assert not [path for path in index.requests[asked:] if path.endswith(".whl")]


def test_cache_that_stays_bad_is_our_infrastructure_error(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill = env._fill

    def filled(folder: Path, *arguments: object, **options: object) -> None:
        fill(folder, *arguments, **options)  # type: ignore[arg-type]
        _append(packages(folder) / "fake_dep" / "__init__.py")

    monkeypatch.setattr(env, "_fill", filled)
    with pytest.raises(env.Failed) as caught:
        install(tmp_path / "env")
    fault = caught.value.fault
    assert fault.kind is Kind.INFRASTRUCTURE
    assert "fake_dep/__init__.py is not what its RECORD says" in fault.message
    assert "`uv cache clean fake-dep`" in fault.message
    assert not (tmp_path / "env").exists()
