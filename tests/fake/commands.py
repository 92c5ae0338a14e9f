"""Run many commands from one warm process, each in a child of its own that is bounded in time and memory."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

SOURCES = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "src")]
SECONDS = 30
BYTES = 3 << 30


class Ended(NamedTuple):
    """How a command ended: its exit code, negative where a signal killed it, and what it said."""

    code: int
    out: str
    err: str

    @property
    def clear(self) -> bool:
        """Whether it ended by itself and without a traceback."""
        return self.code >= 0 and "Traceback" not in self.err and "Exception ignored" not in self.err


class Commands:
    """The warm process; to be used as a context."""

    def __enter__(self) -> Commands:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(SOURCES)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fake.commands"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
            encoding="utf-8",
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def __call__(self, root: Path, *arguments: str, powerless: bool = False, most: int = 0) -> Ended:
        """Run a command in a folder.

        Args:
            powerless: whether root obeys the rights of files too.
            most: the largest file that it may write, in bytes; 0 for no limit.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        job = {"root": str(root), "arguments": arguments, "powerless": powerless, "most": most}
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return Ended(**json.loads(self.process.stdout.readline()))


def main() -> None:
    """Do one job a line of standard input."""
    from adk_probe.cli import app

    # each child then has them
    for name in app.Commands.names:
        importlib.import_module(f"adk_probe.cli.{name}")

    for line in sys.stdin:
        job = json.loads(line)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            pid = os.fork()
            if pid == 0:
                _child(job, out.fileno(), err.fileno())
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            told = []
            for file in (out, err):
                file.seek(0)
                told.append(file.read().decode("utf-8", "replace"))
        print(json.dumps({"code": code, "out": told[0], "err": told[1]}), flush=True)


def _child(job: dict[str, Any], out: int, err: int) -> None:
    code = 250
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.chdir(job["root"])
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        signal.alarm(SECONDS)
        if job["powerless"] and not give_up_power():
            raise RuntimeError("no way to give up the power over files")
        if job["most"]:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (job["most"], job["most"]))
        code = command(job["arguments"])
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(code)


def command(arguments: Sequence[str]) -> int:
    """Run the console command in this process; return its exit code."""
    from adk_probe.__main__ import main as entry

    sys.argv = ["adk-probe", *arguments]
    try:
        entry()
    except SystemExit as ended:
        return int(ended.code or 0)
    raise AssertionError("it did not end")


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Data(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def give_up_power() -> bool:
    """Make root obey the rights of files; return whether this process now does."""
    if os.geteuid() != 0:
        return True
    try:
        header, data = _Header(0x20080522, 0), (_Data * 2)()
        return bool(ctypes.CDLL(None).capset(ctypes.byref(header), data) == 0)
    except (OSError, AttributeError):
        return False


if __name__ == "__main__":
    main()
