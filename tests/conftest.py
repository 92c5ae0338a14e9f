"""What the tests of the pipeline share: a fake index, one big run through every outcome, and copies of it."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake import engine, project
from fake.server import Index

from adk_probe.execution import interpreters, run
from adk_probe.project.plan import Choice

SECRETS = {"GOOGLE_API_KEY": "unsaid-key", "GITHUB_TOKEN": "unsaid-token", "USER": "unsaid-user", "LOGNAME": "unsaid"}
# of all that a caller may have set for uv, what would reach it and is not set below
STEERING = ("UV_OFFLINE", "UV_NO_CACHE")
BROKEN_SECONDS = 6.0


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all workers of pytest-xdist share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


@pytest.fixture(scope="session")
def index() -> Iterator[Index]:
    """Serve the fake engine's releases on loopback."""
    with Index(engine.dists()) as served:
        yield served


def settle(monkeypatch: pytest.MonkeyPatch, shared: Path, index: Index) -> None:
    """Set the environment up so that only the fake index and this very Python are to be had."""
    for name in STEERING:
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        **SECRETS,
        "UV_DEFAULT_INDEX": index.address,
        "UV_CACHE_DIR": str(shared / "uv-cache"),
        "UV_PYTHON_INSTALL_DIR": str(shared / "uv-pythons"),
        "HOME": str(shared / "home"),
        "PYENV_ROOT": str(shared / "pyenv"),
        "PATH": os.defpath,
        "ADK_PROBE_INTERPRETERS": sys.executable,
        # a caller's own habits, which must not reach a target
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(shared / "elsewhere"),
        "PYTHONWARNINGS": "error",
    }.items():
        monkeypatch.setenv(name, value)
    (shared / "home").mkdir(exist_ok=True)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, shared: Path, index: Index) -> Index:
    """Let a test see nothing but the fake index."""
    settle(monkeypatch, shared, index)
    return index


@pytest.fixture(scope="session")
def python() -> str:
    """Return the Python that targets are made for: the one that runs the tests."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("ADK_PROBE_INTERPRETERS", sys.executable)
        wanted = f"{sys.version_info.major}.{sys.version_info.minor}"
        if wanted not in interpreters.find([wanted]):
            pytest.skip(f"no plain CPython {wanted} is found here")
    return wanted


@pytest.fixture(scope="session")
def big(shared: Path, index: Index, python: str) -> Path:
    """Return a project in which every suite was run once; not to be changed.

    With pytest-xdist one worker runs it and the others wait for it.
    """
    root = shared / "big"
    with (shared / "big.lock").open("w") as lock, pytest.MonkeyPatch.context() as monkeypatch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (root / "complete").exists():
            return root
        assert not root.exists(), "the big run failed in another worker"
        settle(monkeypatch, shared, index)
        project.make(root, python)
        monkeypatch.setattr(run, "IMPORT_SECONDS", BROKEN_SECONDS)
        monkeypatch.setattr(run, "SLACK_SECONDS", 5.0)
        with socket.create_server(("127.0.0.1", 0)) as outside:
            (root / "port").write_text(str(outside.getsockname()[1]), encoding="ascii")
            for suite in ("quick", "broken", "hostile"):
                done = project.run(root, Choice(suite=suite), jobs=4)
                (root / f"{suite}.states").write_text(
                    "".join(f"{each.target.release} {each.target.lane} {each.state}\n" for each in done.ended.values()),
                    encoding="utf-8",
                )
            outside.setblocking(False)
            with pytest.raises(BlockingIOError):
                outside.accept()
        (root / "complete").touch()
    return root


@pytest.fixture
def fresh(tmp_path: Path, offline: Index, python: str) -> Path:
    """Return a new project in which nothing was run yet."""
    return project.make(tmp_path / "project", python)


@pytest.fixture
def clone(big: Path, tmp_path: Path, offline: Index) -> Callable[[], Path]:
    """Return what makes a copy of the big run, environments and state included, to be changed at will."""

    def copy() -> Path:
        target = tmp_path / "clone"
        shutil.copytree(big, target, symlinks=True)
        return target

    return copy


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 2 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except OSError as error:
        pytest.skip(f"cannot mount: {error}")
    if done.returncode:
        pytest.skip("only root may mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)
