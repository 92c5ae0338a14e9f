"""The parts of the worker that can be looked at alone; the whole of it is tried by the pipeline."""

from __future__ import annotations

import ast
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adk_probe.inside import worker


def test_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(worker.__file__).read_text(encoding="utf-8"), feature_version=(3, 9))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
    assert imported <= sys.stdlib_module_names


def module(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("X = 1", None),
        ("raise ValueError('a\\nb')", "import warmed raised ValueError: a b"),
        ("raise SystemExit(3)", "import warmed raised SystemExit: 3"),
        ("import not_there_at_all", "import warmed raised ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("import )", "import warmed raised SyntaxError: "),
    ],
)
def test_warm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str | None) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    module(tmp_path, "warmed", text)
    said = worker.warm(["warmed"])
    assert said is None if words is None else said is not None and said.startswith(words)


def test_warm_passes_over_what_a_release_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    module(tmp_path, "warmed", "X = 1")
    assert worker.warm(["warmed", "warmed.part", "other.deep.part"]) is None
    missing = worker.warm(["warmed_that_is_not_there"])
    assert missing is not None
    assert "ModuleNotFoundError" in missing
    module(tmp_path, "warmed_stop", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        worker.warm(["warmed_stop"])


def test_descendants_and_their_memory() -> None:
    code = "import subprocess, sys; x = bytearray(b'x' * (40 << 20)); print('up', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert process.pid in worker.descendants()
        assert worker.children()[process.pid] == os.getpid()
        assert worker.resident([process.pid]) > 40 << 20
        process.kill()
    assert worker.resident([process.pid]) == 0


def test_broken_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = {"memory": 64}
    monkeypatch.setattr(worker, "descendants", lambda: [1, 2, 3])
    monkeypatch.setattr(worker, "resident", lambda pids: 65 << 20)
    assert worker.broken_limit(cell, 1 << 20) is None
    assert worker.broken_limit(cell, 0) == "memory"
    monkeypatch.setattr(worker, "PROCESS_LIMIT", 2)
    assert worker.broken_limit(cell, 1 << 20) == "processes"


def in_child(code: str) -> str:
    """Run code that has the worker at hand in another interpreter; return what it printed."""
    top = f"import sys; sys.path.insert(0, {str(Path(worker.__file__).parent)!r}); import worker\n"
    done = subprocess.run([sys.executable, "-c", top + code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_limit_bounds_memory_files_and_cores() -> None:
    code = """
import resource
worker.limit(64)
print(resource.getrlimit(resource.RLIMIT_CORE)[0], resource.getrlimit(resource.RLIMIT_FSIZE)[0] >> 20)
try:
    bytearray(200 << 20)
except MemoryError:
    print('bounded')
bytearray(1 << 20)
"""
    assert in_child(code).splitlines() == ["0 256", "bounded"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 256 << 20


def test_refused_sockets_where_there_is_no_namespace() -> None:
    code = """
import socket
worker.ctypes.CDLL = lambda *names, **options: object()
print(worker.deny_network())
for address in (("192.0.2.1", 80), ("example.org", 80)):
    try:
        socket.create_connection(address, timeout=0.1)
    except PermissionError as error:
        print(error)
with socket.create_server(("127.0.0.1", 0)) as own:
    socket.create_connection(own.getsockname(), timeout=5).close()
"""
    assert in_child(code).splitlines() == ["audit-hook", "probes have no network", "probes have no network"]


def test_kill_all_reaches_other_sessions() -> None:
    code = """
import os, subprocess, time
worker.control_process(worker.PR_SET_CHILD_SUBREAPER, 1)
first = subprocess.Popen(["/bin/sh", "-c", "sleep 600 & exec setsid sleep 600"], start_new_session=True)
while len(worker.descendants()) < 2:
    time.sleep(0.01)
worker.kill_all(first.pid)
print(len(worker.descendants()))
"""
    assert in_child(code) == "0"


def test_own_folder_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(Path(worker.__file__).parent)
    monkeypatch.setattr(sys, "path", [here, "", "/elsewhere"])
    worker.forget_own_folder()
    assert here not in sys.path
    assert "/elsewhere" in sys.path


def test_wait_is_bounded_by_the_cell_s_time() -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    process = subprocess.Popen(["/bin/sh", "-c", "echo words; exec sleep 600"], stdout=write)
    os.close(write)
    try:
        end = worker.wait(process.pid, read, {"timeout": 0.5, "memory": 1024})
    finally:
        process.kill()
        process.wait()
        os.close(read)
    assert end == {"limit": "timeout", "tail": "words\n"}


def test_wait_does_not_follow_what_was_left_behind() -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    # the child ends at once; what it leaves behind holds the pipe and writes for ever
    command = ["/bin/sh", "-c", "(while :; do echo left; done) & echo $!; exit 3"]
    process = subprocess.Popen(command, stdout=write, start_new_session=True)
    os.close(write)
    time.sleep(0.3)
    try:
        end = worker.wait(process.pid, read, {"timeout": 30, "memory": 1024})
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        os.close(read)
        process.returncode = 3
    assert end["status"] == 3
    assert len(end["tail"]) <= worker.TAIL
