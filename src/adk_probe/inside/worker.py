"""Runs inside the target: imports the engine once, then runs each probe in a child process of its own.

Standard library only, Python 3.9 and later. ``worker.py JOB`` reads a JSON job and writes one JSON line per
event to the file descriptor that the job names; ``worker.py --child CELL`` runs one probe in a fresh
interpreter. A child has its own process group, time limit and memory limit, and no network; whatever it
leaves running is killed before the next one starts. Nothing of the project is run from bytecode that lies beside it.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import importlib
import json
import os
import resource
import runpy
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from types import SimpleNamespace
from typing import Any, Optional

MIB = 1 << 20
OUT_LIMIT = 4 * MIB
TAIL = 8192
TICK = 0.02
LOOK_SECONDS = 0.25
PROCESS_LIMIT = 512
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
LOOPBACK = ("127.", "::1", "localhost")


def beside(name: str) -> SimpleNamespace:
    """Return what a file beside this one defines; it is run, not imported, so that it is compiled from its source."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    return SimpleNamespace(**runpy.run_path(path, run_name=name))


SOURCE_LOADER, ZYGOTE = beside("source_loader"), beside("zygote")


def deny_network() -> str:
    """Keep this process and its children off the network; return by which means."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        user, group = os.getuid(), os.getgid()
        separated = libc.unshare(CLONE_NEWNET) == 0
        if not separated and libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0:
            separated = True
            for name, line in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                    file.write(line)
        if separated:
            _raise_loopback()
            return "namespace"
    # where the kernel grants no namespace, Python's own sockets at least are refused
    sys.addaudithook(_refuse)
    return "audit-hook"


def _raise_loopback() -> None:
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(handle, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", flags | IFF_UP, b""))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        address = arguments[:1]
    else:
        return
    if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
        raise PermissionError("probes have no network")


def control_process(option: int, value: int) -> None:
    """Call Linux's prctl; where there is none, nothing happens."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def forget_own_folder() -> None:
    """Take this file's folder off sys.path: nothing of the harness may be imported in a target."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]


def import_from_source() -> None:
    """Compile what is not installed from its source alone; call it while ``sys.path`` holds what is installed."""
    SOURCE_LOADER.install(os.path.join(os.environ["TMPDIR"], "bytecode"))


def warm(entries: list[str]) -> Optional[str]:
    """Import what forked children shall find (``module`` or ``module:name``); return why the first cannot be, or None.

    The first one is the engine itself. What fails of the others is left to the probes that need it: a release may not
    have it, or not without an extra.
    """
    for index, entry in enumerate(entries):
        module, _, name = entry.partition(":")
        try:
            found = importlib.import_module(module)
            # newer releases load what is behind a name on its first use
            getattr(found, name, None) if name else None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if index == 0:
                line = " ".join(str(error).split())[:600]
                return f"import {module} raised {type(error).__name__}: {line}"
    return None


def children() -> dict[int, int]:
    """Return pid → parent pid of every process that /proc shows; empty where there is no /proc."""
    parents = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with (
                    contextlib.suppress(OSError, ValueError, IndexError),
                    open(f"/proc/{name}/stat", "rb") as file,
                ):
                    parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    return parents


def descendants() -> list[int]:
    """Return every living process below this one."""
    parents = children()
    found: list[int] = []
    layer = [os.getpid()]
    while layer:
        layer = [pid for pid, parent in parents.items() if parent in layer]
        found.extend(layer)
    return found


def resident(pids: list[int]) -> int:
    """Return the private resident memory of processes in bytes, so that what they share counts once."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
            fields = file.read().split()
            total += (int(fields[1]) - int(fields[2])) * resource.getpagesize()
    return total


def kill_all(group: int) -> None:
    """Kill a child's process group and all that is below this process, whatever group it moved to."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
        below = descendants()
        for pid in below:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not below:
            return
        time.sleep(TICK)


def limit(megabytes: int) -> None:
    """Bound what this process may take: address space on top of what it has, file size, no core file."""
    used = 0
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/statm", "rb") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    for what, size in (
        (resource.RLIMIT_AS, used + megabytes * MIB),
        (resource.RLIMIT_FSIZE, 256 * MIB),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(OSError, ValueError):
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (size if hard < 0 else min(size, hard), hard))


def run_child(cell: dict[str, Any]) -> int:
    """Run one probe in this process; return its exit code."""
    control_process(PR_SET_PDEATHSIG, signal.SIGKILL)
    limit(cell["memory"])
    os.environ["ADK_PROBE_OUT"] = cell["out"]
    os.environ["HOME"] = os.environ["TMPDIR"] = cell["scratch"]
    tempfile.tempdir = None
    os.chdir(cell["scratch"])
    sys.argv = [cell["path"], *cell.get("arguments", [])]
    sys.path.insert(0, os.path.dirname(cell["path"]))
    try:
        runpy.run_path(cell["path"], run_name="__main__")
        code: Any = 0
    except SystemExit as error:
        code = error.code
        if code is not None and not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:
        traceback.print_exc()
        code = 1
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    return int(code or 0)


def start(cell: dict[str, Any], pipe: tuple[int, int], fork: bool) -> int:
    """Start a child for a cell, its output going into the pipe; return its pid, which is its process group."""
    read, write = pipe
    if not fork or cell["isolated"]:
        command = [sys.executable, *cell["options"], os.path.abspath(__file__), "--child", json.dumps(cell)]
        null = subprocess.DEVNULL
        return subprocess.Popen(command, stdin=null, stdout=write, stderr=write, start_new_session=True).pid
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        devnull = os.open(os.devnull, os.O_RDONLY)
        for source, descriptor in ((devnull, 0), (write, 1), (write, 2)):
            os.dup2(source, descriptor)
        for descriptor in (devnull, read, write, cell["events"]):
            os.close(descriptor)
        code = run_child(cell)
    finally:
        os._exit(code & 0xFF)


def broken_limit(cell: dict[str, Any], base: int) -> Optional[str]:
    """Return which limit the processes below this one break together, if any."""
    below = descendants()
    if len(below) > PROCESS_LIMIT:
        return "processes"
    return "memory" if resident(below) > base + cell["memory"] * MIB else None


def wait(pid: int, read: int, cell: dict[str, Any]) -> dict[str, Any]:
    """Wait for a child within its limits; return its status, or the limit that it broke, and its output's end."""
    deadline = time.monotonic() + cell["timeout"]
    base, looked = 2 * resident([os.getpid()]), time.monotonic()
    tail, open_, end = b"", True, {}  # type: bytes, bool, dict[str, Any]
    with selectors.DefaultSelector() as selector:
        selector.register(read, selectors.EVENT_READ)
        while not end:
            # a closed pipe means that the child is about to end, so it is looked at more often
            for _ in selector.select(TICK if open_ else TICK / 10):
                chunk = os.read(read, 1 << 16)
                tail = (tail + chunk)[-TAIL:]
                if not chunk:
                    selector.unregister(read)
                    open_ = False
            ended, status = os.waitpid(pid, os.WNOHANG)
            now = time.monotonic()
            if ended:
                end["status"] = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
            elif now > deadline:
                end["limit"] = "timeout"
            elif now - looked > LOOK_SECONDS:
                looked = now
                if (limit_ := broken_limit(cell, base)) is not None:
                    end["limit"] = limit_
    # what it said last; no more than a pipe holds, for what it left behind may write for ever
    with contextlib.suppress(BlockingIOError):
        for _ in range(32 if open_ and "status" in end else 0):
            tail = (tail + os.read(read, 1 << 16))[-TAIL:]
    return {**end, "tail": tail.decode("utf-8", "replace")}


def scratch_of(cell: dict[str, Any]) -> str:
    """Return a cell's folder, named after the cell, so that a path in it is the same in every run."""
    return os.path.join(os.environ["TMPDIR"], "cell-" + cell["id"].replace("/", "-"))


def run_cell(cell: dict[str, Any], fork: bool) -> dict[str, Any]:
    """Run one cell and clean up after it; return what is told of it."""
    began = time.monotonic()
    read, write = os.pipe()
    os.set_blocking(read, False)
    cell["scratch"] = scratch_of(cell)
    os.mkdir(cell["scratch"])
    try:
        pid = start(cell, (read, write), fork)
        os.close(write)
        end = wait(pid, read, cell)
        kill_all(pid)
    finally:
        os.close(read)
        shutil.rmtree(cell["scratch"], ignore_errors=True)
    return {"event": "end", "id": cell["id"], "seconds": round(time.monotonic() - began, 4), **end}


def run_family(cells: list[dict[str, Any]], fork: bool, tell: Any) -> None:
    """Run cells of one family in a zygote, and each that it ends under as any other cell."""
    left, useful = cells, fork
    while left:
        if useful and len(left) > 1:
            before, left = len(left), ZYGOTE.play(left, SimpleNamespace(**globals()), tell)
            useful = len(left) < before
        for cell in left[:1]:
            tell({"event": "start", "id": cell["id"]})
            tell(run_cell(cell, fork))
        left = left[1:]


def main(job: dict[str, Any]) -> int:
    """Do a job: import the engine, then run each of its cells in turn."""
    events = os.fdopen(job["events"], "w", encoding="utf-8", buffering=1)
    os.set_inheritable(job["events"], False)

    def tell(event: dict[str, Any]) -> None:
        events.write(json.dumps(event, sort_keys=True) + "\n")

    control_process(PR_SET_PDEATHSIG, signal.SIGKILL)
    control_process(PR_SET_CHILD_SUBREAPER, 1)
    network = deny_network()
    began = time.monotonic()
    fault = warm(job["warm"])
    seconds = round(time.monotonic() - began, 4)
    tell({"event": "warm", "network": network, "seconds": seconds, "modules": len(sys.modules), "fault": fault})
    if fault is not None:
        return 0
    # what the parent made is left out of the children's collections, or each would copy its pages
    gc.collect()
    gc.freeze()
    fork = job["fork"] and hasattr(os, "fork")
    for family in ZYGOTE.families([{**cell, "events": job["events"]} for cell in job["cells"]]):
        run_family(family, fork, tell)
    tell({"event": "bye"})
    return 0


if __name__ == "__main__":
    forget_own_folder()
    import_from_source()
    if sys.argv[1] == "--child":
        sys.exit(run_child(json.loads(sys.argv[2])))
    with open(sys.argv[1], encoding="utf-8") as job_file:
        sys.exit(main(json.load(job_file)))
