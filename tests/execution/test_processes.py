"""A command that is given up leaves nothing behind, and is never waited for longer than its time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake import project

from adk_probe.execution import processes

# a child of the command, and one that leaves its group, hold its output open
FAMILY = """
import os, subprocess, sys, time
sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
pids = [os.getpid(), subprocess.Popen(sleep).pid, subprocess.Popen(sleep, start_new_session=True).pid]
with open(sys.argv[1] + ".part", "w") as out:
    out.write(" ".join(map(str, pids)))
os.rename(sys.argv[1] + ".part", sys.argv[1])
time.sleep(60)
"""


def test_what_a_command_says() -> None:
    code = "import sys; sys.stdout.write(sys.stdin.read().upper()); sys.stderr.write('err'); sys.exit(3)"
    done = processes.bounded([sys.executable, "-c", code], 60, stdin=b"out", env={"LANG": "C.UTF-8"})
    assert done == (3, b"OUT", b"err")


def test_command_that_cannot_be_started() -> None:
    with pytest.raises(FileNotFoundError):
        processes.bounded(["/nowhere/at/all"], 1)


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while project.alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not project.alive(pid)


def wait_for_family(pids: Path) -> None:
    while not pids.exists():
        time.sleep(0.01)


def test_time_is_over_for_the_whole_group(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(subprocess.TimeoutExpired):
        processes.bounded([sys.executable, "-c", FAMILY, str(pids)], 0.1, started=lambda _: wait_for_family(pids))
    top, child, left = map(int, pids.read_text().split())
    assert gone(top)
    assert gone(child)
    # it left the group, so that it lives on, and was not waited for
    os.kill(left, signal.SIGKILL)


def test_interruption_ends_the_group_too(tmp_path: Path) -> None:
    def started(process: subprocess.Popen[bytes]) -> None:
        wait_for_family(tmp_path / "pids")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        processes.bounded([sys.executable, "-c", FAMILY, str(tmp_path / "pids")], 60, started=started)
    top, child, left = map(int, (tmp_path / "pids").read_text().split())
    assert gone(top)
    assert gone(child)
    os.kill(left, signal.SIGKILL)
