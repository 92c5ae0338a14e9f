"""The only caller of uv, which comes with the harness as a Python dependency."""

from __future__ import annotations

import re
import subprocess

import msgspec
from uv import find_uv_bin

from adk_probe.execution.processes import bounded, kill_group, tied
from adk_probe.machine.surroundings import for_uv

ADDRESS = re.compile(r"\b(?:https?|file)://\S+")
PLACE = re.compile(r"(?<![\w/.])/(?:[^\s/:'`\"]+/)+[^\s:'`\")]*")
# lines that are no part of an error
ASIDES = ("Using ", "warning:", "WARN ")
# told by uv's resolver alone: which versions it passed over since it could not read what the index served of them
RESOLVER_WARNINGS = "uv_resolver=warn"

_running: set[subprocess.Popen[bytes]] = set()


class UvResult(msgspec.Struct, frozen=True):
    """What uv said: exit code, standard output and standard error; -1 when it ran out of time."""

    code: int
    out: str
    err: str

    def last_words(self, limit: int = 400) -> str:
        """Return the gist of the error in one line, free of addresses, of folders and of uv's drawing."""
        lines = [line.strip(" ×╰─▶│├·") for line in self.err.splitlines()]
        text = " ".join(line for line in lines if line and not line.startswith(ASIDES))
        return PLACE.sub("<path>", ADDRESS.sub("<index>", text))[:limit]


def call(*arguments: str, seconds: float, stdin: str = "") -> UvResult:
    """Run uv, bounded in time, by the declared means alone; interpreters are never downloaded on the side."""
    downloads = "manual" if arguments[:2] == ("python", "install") else "never"
    environment = for_uv() | {
        "UV_NO_PROGRESS": "1",
        "NO_COLOR": "1",
        "UV_PYTHON_DOWNLOADS": downloads,
        "RUST_LOG": RESOLVER_WARNINGS,
    }
    process: subprocess.Popen[bytes] | None = None

    def started(begun: subprocess.Popen[bytes]) -> None:
        nonlocal process
        process = begun
        _running.add(begun)

    try:
        command = tied("uv", [find_uv_bin(), "--no-config", *arguments])
        done = bounded(command, seconds, stdin=stdin.encode(), env=environment, started=started)
    except OSError as error:
        return UvResult(-1, "", f"uv cannot be run: {error.strerror or error}")
    except subprocess.TimeoutExpired:
        return UvResult(-1, "", f"uv {arguments[0]} took longer than {seconds:g} seconds")
    finally:
        if process is not None:
            _running.discard(process)
    return UvResult(done.code, done.out.decode("utf-8", "replace"), done.err.decode("utf-8", "replace"))


def program() -> str:
    """Return the path of uv; empty where there is none."""
    try:
        return find_uv_bin()
    except OSError:
        return ""


def stop() -> None:
    """End every uv that is at work, since nobody waits for it any more."""
    for process in tuple(_running):
        kill_group(process)
