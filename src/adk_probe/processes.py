"""Find processes as /proc shows them (none where there is no /proc), and tie them to this one."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

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
