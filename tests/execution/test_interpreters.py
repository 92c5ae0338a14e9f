"""Interpreters are found wherever they are, and what only looks like one is passed over in silence."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest
from fake import project

from adk_probe.execution import interpreters

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture(autouse=True)
def nothing_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let nothing of this machine be found."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    monkeypatch.delenv("ADK_PROBE_INTERPRETERS", raising=False)


def script(path: Path, says: str, code: int = 0) -> Path:
    """Write a shell script that passes itself off as an interpreter."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # PATH is empty, so the shell's own commands must do
    text = f"#!/bin/sh\nprintf '%s\\n' '{says}'\nexit {code}\n"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    path.chmod(0o755)
    return path


def says(version: str = "3.97.1", implementation: str = "CPython", plain: str = "true") -> str:
    return (
        f'{{"path": "/x", "version": "{version}", "implementation": "{implementation}", "build": "b", '
        f'"platform": "p", "plain": {plain}}}'
    )


def test_nothing_is_found() -> None:
    assert interpreters.find(["3.97", VERSION]) == {}


def test_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADK_PROBE_INTERPRETERS", os.pathsep.join(["/nowhere/python3", "", sys.executable]))
    found = interpreters.find([VERSION, "3.97"])
    assert list(found) == [VERSION]
    assert found[VERSION].python == VERSION
    assert found[VERSION].implementation == "CPython"


def test_handed_over_as_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path / "bin" / "python3.97", says())
    monkeypatch.setenv("ADK_PROBE_INTERPRETERS", str(tmp_path / "bin"))
    assert interpreters.find(["3.97"])["3.97"].version == "3.97.1"


def test_on_path_under_pyenv_and_among_uv_s(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path / "bin" / "python3.97", says("3.97.1"))
    script(tmp_path / "pyenv" / "versions" / "3.98.2" / "bin" / "python3.98", says("3.98.2"))
    script(tmp_path / "uv" / "cpython-3.99.3-linux-x86_64-gnu" / "bin" / "python3.99", says("3.99.3"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{tmp_path / 'nowhere'}{os.pathsep}")
    found = interpreters.find(["3.97", "3.98", "3.99"])
    assert {name: each.version for name, each in found.items()} == {
        "3.97": "3.97.1",
        "3.98": "3.98.2",
        "3.99": "3.99.3",
    }


def test_newest_patch_release_of_pyenv_wins(tmp_path: Path) -> None:
    for version in ("3.97.9", "3.97.10"):
        script(tmp_path / "pyenv" / "versions" / version / "bin" / "python3.97", says(version))
    assert interpreters.find(["3.97"])["3.97"].version == "3.97.10"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pyenv: python3.97: command not found", 127),
        (says(), 1),
        ("", 0),
        ("not JSON", 0),
        ("[1]", 0),
        ('{"path": "/x"}', 0),
        (says(implementation="PyPy"), 0),
        # free-threaded: wheels for it are other ones
        (says(plain="false"), 0),
        (says(plain='"yes"').replace('"version": "3.97.1"', '"version": true'), 0),
        ("\udcff\udcfe", 0),
    ],
)
def test_what_is_no_interpreter_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    script(tmp_path / "bin" / "python3.97", text, code)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert interpreters.find(["3.97"]) == {}
    assert capfd.readouterr() == ("", "")
    script(tmp_path / "pyenv" / "versions" / "3.97.1" / "bin" / "python3.97", says())
    assert interpreters.find(["3.97"])["3.97"].version == "3.97.1"


def test_file_that_cannot_be_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    script(folder / "python3.97", says()).chmod(0o644)
    (folder / "python3").symlink_to("python3")
    (folder / "python3.98").symlink_to("/nowhere")
    (folder / "python3.99").mkdir()
    monkeypatch.setenv("PATH", str(folder))
    assert interpreters.find(["3.97", "3.98", "3.99"]) == {}


def hanging(path: Path) -> Path:
    """Write a script that hangs, and so does a child of it that holds its output; both tell who they are."""
    path.parent.mkdir(exist_ok=True)
    text = f"#!/bin/sh\n/bin/sleep 60 &\necho $$ $! >> '{path.parent}/pids'\nwait\n"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def test_one_that_hangs_costs_five_seconds_at_most() -> None:
    assert interpreters.ASK_SECONDS <= 5


def test_interpreter_that_never_answers_is_killed_with_its_children(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(interpreters, "ASK_SECONDS", 0.5)
    assert interpreters.ask(hanging(tmp_path / "bin" / "python3.97")) is None
    pids = (tmp_path / "bin" / "pids").read_text().split()
    assert len(pids) == 2
    deadline = time.monotonic() + 10
    while any(project.alive(int(pid)) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(project.alive(int(pid)) for pid in pids)


def test_all_are_asked_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # so that those which hang take one limit together
    folders = [tmp_path / f"bin{number}" for number in range(20)]
    for folder in folders:
        script(folder / "python3.97", says())
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))
    gate = threading.Barrier(len(folders))

    def ask(path: Path) -> None:
        gate.wait(30)

    monkeypatch.setattr(interpreters, "ask", ask)
    assert interpreters.find(["3.97"]) == {}
    assert not gate.broken


def test_only_files_that_may_be_it_are_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pyenv, uv = tmp_path / "pyenv" / "versions", tmp_path / "uv"
    for folder in ("3.97.1", "3.98.0a1", "3.9", "2.0-project"):
        script(pyenv / folder / "bin" / "python3", says())
    script(uv / "cpython-3.97.2-linux-x86_64-gnu" / "bin" / "python3", says())
    script(uv / "cpython-3.98.2-linux-x86_64-gnu" / "bin" / "python3", says())
    script(tmp_path / "3.98-mine" / "bin" / "python3", says())
    script(tmp_path / "real" / "python3.98", says())
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "python3").symlink_to(tmp_path / "real" / "python3.98")
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "3.98-mine" / "bin"), str(tmp_path / "links")]))
    asked: list[Path] = []
    monkeypatch.setattr(interpreters, "ask", asked.append)
    assert interpreters.find(["3.97"]) == {}
    assert {str(path.relative_to(tmp_path)).removesuffix("/bin/python3") for path in asked} == {
        "pyenv/versions/3.97.1",
        "uv/cpython-3.97.2-linux-x86_64-gnu",
        # a folder of the user may be called as it likes
        "3.98-mine",
    }


def test_real_interpreter_under_many_names_is_asked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("python3", f"python{VERSION}"):
        (folder / name).symlink_to(Path(sys.executable).resolve())
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{folder}")
    asked: list[Path] = []
    ask = interpreters.ask

    def counting(path: Path) -> object:
        asked.append(path)
        return ask(path)

    monkeypatch.setattr(interpreters, "ask", counting)
    assert list(interpreters.find([VERSION])) == [VERSION]
    assert len(asked) == 1
