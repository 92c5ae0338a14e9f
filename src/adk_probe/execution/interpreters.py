"""Find the Pythons of this machine, as targets need them: on PATH, under pyenv, uv's own, and those handed over."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from adk_probe.execution import uv
from adk_probe.execution.processes import bounded
from adk_probe.model import Interpreter

HANDED_OVER = "ADK_PROBE_INTERPRETERS"
NAME = re.compile(r"^python(3(?:\.\d+)?)$")
# what pyenv and uv call the folder of a version
VERSION_FOLDER = re.compile(r"(?:/versions/|/cpython-)(\d+\.\d+)(?!\d)[^/]*/bin$")
ASK_SECONDS = 5
# all are asked at once, so that those which hang take one limit together
MOST_AT_ONCE = 64
ASK = """
import json, platform, sys, sysconfig
libc = "".join(platform.libc_ver())
print(json.dumps({
    "path": sys.executable,
    "version": platform.python_version(),
    "implementation": platform.python_implementation(),
    "build": ", ".join(platform.python_build()) + ", " + platform.python_compiler(),
    "platform": sysconfig.get_platform() + ("-" + libc if libc else ""),
    "plain": not sysconfig.get_config_var("Py_GIL_DISABLED"),
}))
"""


def candidates() -> Iterator[Path]:
    """Yield files that may be interpreters, those handed over first; a folder is looked into."""
    for entry in os.environ.get(HANDED_OVER, "").split(os.pathsep):
        if entry:
            path = Path(os.path.expanduser(entry))  # noqa: PTH111
            yield from sorted(path.glob("python3*")) if path.is_dir() else [path]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if folder:
            yield from _named(Path(folder))
    # not Path.home(), which raises for a user without one
    pyenv = Path(os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")) / "versions"  # noqa: PTH111
    for version in sorted(pyenv.glob("*"), key=lambda path: _numbers(path.name), reverse=True):
        yield from _named(version / "bin")
    yield from _uv_managed()


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", name))


def _named(folder: Path) -> list[Path]:
    try:
        return sorted((path for path in folder.iterdir() if NAME.match(path.name)), key=lambda path: path.name)
    except OSError:
        return []


def _uv_managed() -> list[Path]:
    answer = uv.call("python", "dir", seconds=ASK_SECONDS)
    folder = Path(answer.out.strip())
    if answer.code or not answer.out.strip():
        return []
    names = sorted(folder.glob("cpython-*"), key=lambda path: _numbers(path.name), reverse=True)
    return [file for path in names for file in _named(path / "bin")]


def ask(path: Path) -> Interpreter | None:
    """Return what a file says of itself, or None where it is no CPython that runs: a shim may lead nowhere.

    One that does not answer in ``ASK_SECONDS`` is none; it is killed with all that it started.
    """
    try:
        done = bounded([str(path), "-I", "-c", ASK], ASK_SECONDS)
        said = msgspec.json.decode(done.out, type=dict[str, str | bool]) if done.code == 0 else {}
        plain = said.pop("plain", False)
        found = msgspec.convert(said, Interpreter)
    except (OSError, subprocess.TimeoutExpired, msgspec.MsgspecError):
        return None
    return found if plain and found.implementation == "CPython" else None


def find(wanted: Iterable[str]) -> dict[str, Interpreter]:
    """Return the first interpreter found for each wanted Python (``3.12``), by that name."""
    missing = set(wanted)
    files: dict[Path, Path] = {}
    for path in candidates():
        real = _real(path)
        if _may_be(path, missing) and _may_be(real, missing):
            # many names lead to one file, and a venv's to its base: each file is asked once
            files.setdefault(real, path)
    with ThreadPoolExecutor(max_workers=MOST_AT_ONCE) as pool:
        answers = list(pool.map(ask, files.values()))
    found: dict[str, Interpreter] = {}
    for answer in answers:
        if answer is not None and answer.python in missing:
            found.setdefault(answer.python, answer)
    return found


def _may_be(path: Path, missing: set[str]) -> bool:
    """Whether a file may be one of the missing Pythons, by its name and by that of its version's folder."""
    named = NAME.match(path.name)
    if named and named[1] != "3":
        return named[1] in missing
    version = VERSION_FOLDER.search(path.parent.as_posix())
    return version is None or version[1] in missing


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path


def fetch(pythons: Iterable[str], seconds: float) -> str:
    """Have uv fetch Pythons, in one try; return what it said when it could not fetch them all, else nothing."""
    answer = uv.call("python", "install", *pythons, seconds=seconds)
    return "" if answer.code == 0 else answer.last_words() or f"uv ended with exit code {answer.code}"
