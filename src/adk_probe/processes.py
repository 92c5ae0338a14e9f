"""Find processes as /proc shows them; where there is no /proc, none are found."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


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
