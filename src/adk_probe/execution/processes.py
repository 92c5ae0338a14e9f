"""Run commands bounded in time, tie them to this process, and find processes as /proc shows them, if there is one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

# how long a killed command may take to end
FAREWELL_SECONDS = 5.0


class Finished(NamedTuple):
    """How a command ended: exit code, standard output and standard error."""

    code: int
    out: bytes
    err: bytes


def bounded(
    command: Sequence[str],
    seconds: float,
    *,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    started: Callable[[subprocess.Popen[bytes]], None] | None = None,
) -> Finished:
    """Run a command in a process group of its own; whatever ends the wait before the command ends kills the group.

    Args:
        started: is told the process once it runs.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it took longer than ``seconds``.
    """
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        start_new_session=True,
    )
    try:
        if started is not None:
            started(process)
        out, err = process.communicate(stdin, timeout=seconds)
    except BaseException:
        kill_group(process)
        # the pipes are not read to their end: a child that left the group may hold them open for ever
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(FAREWELL_SECONDS)
        raise
    return Finished(process.returncode, out, err)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads its group, and all that is still in the group."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


# the kernel kills it when its parent ends (PR_SET_PDEATHSIG, SIGKILL); the parent may have ended before that was said
_TIE = """
import os, sys
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)
except (ImportError, OSError, AttributeError):
    pass
parent, name, *command = sys.argv[1:]
if os.getppid() != int(parent):
    sys.exit(1)
try:
    os.execv(command[0], command)
except OSError as error:
    sys.exit(f"{name} cannot be run: {error.strerror}")
"""


def tied(name: str, command: list[str]) -> list[str]:
    """Return a command that ends when the thread that starts it does, even where this process is killed.

    Only Linux has such a thing; elsewhere the command is as it was.

    Args:
        name: how messages call it.
    """
    if sys.platform != "linux":
        return command
    return [sys.executable, "-I", "-S", "-c", _TIE, str(os.getpid()), name, *command]


def born_in(scratch: Path) -> list[int]:
    """Return the processes that were started with ``scratch`` as their folder for temporary files."""
    mark = b"TMPDIR=" + os.fsencode(scratch)
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            if any(entry.startswith(mark) for entry in (place / "environ").read_bytes().split(b"\0")):
                found.append(int(place.name))
    return found


def below(top: int) -> list[int]:
    """Return every living process below ``top``, as /proc shows them."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[int(stat.parent.name)] = int(stat.read_bytes().rpartition(b")")[2].split()[1])
    found: list[int] = []
    layer = [top]
    while layer:
        layer = [pid for pid, parent in parents.items() if parent in layer]
        found.extend(layer)
    return found
