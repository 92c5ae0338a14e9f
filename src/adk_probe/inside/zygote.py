"""Runs the cells of one family in children of a process that has loaded and rehearsed what they share.

Standard library only, Python 3.9 and later; the worker runs this file inside the target. Cells of one family have the
same script. The script may define two functions, which are called with a cell's arguments:

- ``prepare(arguments)`` loads what every cell of the family needs; it is called for the first cell;
- ``rehearse(arguments)`` does what a cell does, so that the engine has done its first-time work. It is called for the
  first cell of each rehearsal that the family names; its result is thrown away, and it must leave nothing behind that
  changes what a cell sees. It is called twice: where the second time gives other warnings, the engine warns only once a
  process, and a cell would no longer hear it.

A script that defines neither loses nothing. Each cell is then a child of that process, the zygote, by the worker's own
``run_cell``: the same limits, the same scratch folder, the same clean-up. A process with threads cannot be forked
safely, so a rehearsal that leaves threads, changes what is heard, or fails is left out in a new zygote. Whatever else
goes wrong with a zygote costs nothing: the cells that did not end in it run as children of the worker.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import json
import os
import random
import runpy
import selectors
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from typing import Any, Callable, Iterator, Optional

PREPARE_SECONDS = 15.0
"""How long preparing may take. Who waits for the worker waits a little longer than that for its next event."""

FAREWELL_SECONDS = 1.0
"""How long the threads of a rehearsal may take to end."""

Cell = dict[str, Any]
Tell = Callable[[dict[str, Any]], None]
Rehearsals = dict[str, list[str]]


def families(cells: list[Cell]) -> Iterator[list[Cell]]:
    """Yield the cells in order: those that follow each other and share a family in one list, all others alone."""

    def family(cell: Cell) -> tuple[str, str]:
        together = cell["family"] and not cell["isolated"]
        return (cell["family"], "") if together else ("", cell["id"])

    for _, group in itertools.groupby(cells, family):
        yield list(group)


def play(cells: list[Cell], worker: Any, tell: Tell) -> list[Cell]:
    """Run cells of one family in a zygote; return those that did not end in it, the one that it ended under first.

    Args:
        worker: the worker's functions.
        tell: called with each event that the harness must see.
    """
    rehearsals: Rehearsals = {}
    for cell in cells:
        rehearsals.setdefault(cell["rehearsal"], cell["arguments"])
    while True:
        left, unfit = _try(cells, rehearsals, worker, tell)
        if unfit not in rehearsals:
            return left
        # what it left behind cannot be taken back
        del rehearsals[unfit]


def _try(cells: list[Cell], rehearsals: Rehearsals, worker: Any, tell: Tell) -> tuple[list[Cell], Optional[str]]:
    """Return the cells that did not end, and the rehearsal to leave out in another try, if any."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(read)
        _zygote(cells, rehearsals, worker, write)
    os.close(write)
    left = {cell["id"]: cell for cell in cells}
    try:
        for event in _events(read, cells, worker):
            if event.get("event") == "unfit":
                return cells, str(event.get("id"))
            if event.get("event") == "prepare" or event.get("id") in left:
                tell(event)
            if event.get("event") == "end":
                left.pop(event.get("id", ""), None)
    finally:
        os.close(read)
        worker.kill_all(pid)
    for cell in left.values():
        # what one left that took the zygote down
        shutil.rmtree(worker.scratch_of(cell), ignore_errors=True)
        with contextlib.suppress(OSError):
            os.unlink(cell["out"])
    return list(left.values()), None


def _events(read: int, cells: list[Cell], worker: Any) -> Iterator[dict[str, Any]]:
    """Yield what a zygote tells until it ends, tells nothing for too long, or breaks a limit while it prepares."""
    slack, buffer, looked = PREPARE_SECONDS, b"", time.monotonic()
    seconds = {cell["id"]: cell["timeout"] for cell in cells}
    deadline, base = looked + slack, 2 * worker.resident([os.getpid()])
    preparing = True
    with selectors.DefaultSelector() as selector:
        selector.register(read, selectors.EVENT_READ)
        while time.monotonic() < deadline:
            if selector.select(worker.LOOK_SECONDS):
                chunk = os.read(read, 1 << 16)
                if not chunk:
                    return
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    event = _decoded(line)
                    preparing = event.get("event") == "prepare"
                    # a cell ends in its own time, and its zygote sees to that
                    deadline = time.monotonic() + slack + seconds.get(event.get("id", ""), 0.0)
                    yield event
            elif preparing and worker.broken_limit(cells[0], base) is not None:
                return


def _decoded(line: bytes) -> dict[str, Any]:
    """Return an event; an empty one for rubbish, which a cell may have written."""
    with contextlib.suppress(ValueError, RecursionError):
        event = json.loads(line)
        if isinstance(event, dict) and isinstance(event.get("id", ""), str):
            return event
    return {}


def _zygote(cells: list[Cell], rehearsals: Rehearsals, worker: Any, write: int) -> None:
    """Prepare and then run each cell, telling of it by the descriptor; never return."""
    code = 1
    try:
        os.setsid()
        worker.control_process(worker.PR_SET_PDEATHSIG, signal.SIGKILL)
        worker.control_process(worker.PR_SET_CHILD_SUBREAPER, 1)
        os.close(cells[0]["events"])
        os.set_inheritable(write, False)
        devnull = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(devnull, descriptor)
        os.close(devnull)
        with os.fdopen(write, "w", encoding="utf-8", buffering=1) as events:

            def tell(event: dict[str, Any]) -> None:
                events.write(json.dumps(event) + "\n")

            with _own_place(cells[0], worker):
                unfit = _prepare(cells[0], rehearsals, tell)
            if unfit is not None:
                tell({"event": "unfit", "id": unfit})
            else:
                gc.collect()
                gc.freeze()
                for cell in cells:
                    tell({"event": "start", "id": cell["id"]})
                    tell({**worker.run_cell({**cell, "events": write}, True), "zygote": True})
        code = 0
    finally:
        os._exit(code)


@contextlib.contextmanager
def _own_place(cell: Cell, worker: Any) -> Iterator[None]:
    """Keep what is done inside within a scratch folder and a cell's limits, and take back what it set."""
    before = dict(os.environ), sys.argv, list(sys.path), os.getcwd(), random.getstate()
    scratch = tempfile.mkdtemp(prefix="zygote-", dir=os.environ["TMPDIR"])
    os.environ["HOME"] = os.environ["TMPDIR"] = scratch
    os.chdir(scratch)
    tempfile.tempdir = None
    worker.limit(cell["memory"])
    try:
        yield
    finally:
        os.chdir(before[3])
        os.environ.clear()
        os.environ.update(before[0])
        sys.argv, sys.path[:] = before[1], before[2]
        tempfile.tempdir = None
        random.setstate(before[4])
        shutil.rmtree(scratch, ignore_errors=True)
        with contextlib.suppress(Exception):
            # else each child would say it once more
            sys.stdout.flush()
            sys.stderr.flush()


def _prepare(cell: Cell, rehearsals: Rehearsals, tell: Tell) -> Optional[str]:
    """Call what the script defines; return the rehearsal after which nothing may be forked, if any."""
    tell({"event": "prepare", "id": cell["family"]})
    sys.argv = [cell["path"], *cell["arguments"]]
    sys.path.insert(0, os.path.dirname(cell["path"]))
    with warnings.catch_warnings():
        script = runpy.run_path(cell["path"], run_name="zygote")
        if "prepare" in script:
            script["prepare"](list(cell["arguments"]))
    if not _alone():
        raise RuntimeError("threads are left")
    for name, arguments in rehearsals.items() if "rehearse" in script else ():
        tell({"event": "prepare", "id": cell["family"]})
        try:
            neutral = _heard(script["rehearse"], arguments) == _heard(script["rehearse"], arguments)
        except KeyboardInterrupt:
            raise
        except BaseException:
            return name
        if not neutral or not _alone():
            return name
    return None


def _heard(rehearse: Callable[[list[str]], None], arguments: list[str]) -> set[tuple[str, str]]:
    """Return the warnings of a rehearsal."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        rehearse(list(arguments))
    return {(each.category.__name__, str(each.message)) for each in seen}


def _alone() -> bool:
    """Whether this process has no thread but this one, those that are about to end left out."""
    deadline = time.monotonic() + FAREWELL_SECONDS
    while _threads() > 1:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _threads() -> int:
    with contextlib.suppress(OSError):
        return len(os.listdir("/proc/self/task"))
    return threading.active_count()
