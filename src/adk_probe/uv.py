"""The only caller of uv, which comes with the harness as a Python dependency."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import msgspec
from uv import find_uv_bin

from adk_probe.processes import tied

# what a caller's shell may hold that would steer uv away from the target that is asked for
STEERING = (
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "UV_PYTHON",
    "UV_PROJECT",
    "UV_PROJECT_ENVIRONMENT",
    "UV_EXCLUDE_NEWER",
    "UV_RESOLUTION",
    "UV_PRERELEASE",
    "UV_CONSTRAINT",
    "UV_OVERRIDE",
    "UV_SYSTEM_PYTHON",
    "UV_NO_BINARY",
    "UV_REQUIRE_HASHES",
    "UV_TARGET",
)
ADDRESS = re.compile(r"\b(?:https?|file)://\S+")
PLACE = re.compile(r"(?<![\w/.])/(?:[^\s/:'`\"]+/)+[^\s:'`\")]*")


_running: set[subprocess.Popen[str]] = set()


class Answer(msgspec.Struct, frozen=True):
    """What uv said: exit code, standard output and standard error; -1 when it ran out of time."""

    code: int
    out: str
    err: str

    def last_words(self, limit: int = 400) -> str:
        """Return the gist of the error in one line, free of addresses, of folders and of uv's drawing."""
        lines = [line.strip(" ×╰─▶│├·") for line in self.err.splitlines()]
        text = " ".join(line for line in lines if line and not line.startswith(("Using ", "warning:")))
        return PLACE.sub("<path>", ADDRESS.sub("<index>", text))[:limit]


def call(*arguments: str, seconds: float, stdin: str | None = None, cwd: Path | None = None) -> Answer:
    """Run uv, bounded in time; interpreters are never downloaded on the side."""
    environment = {key: value for key, value in os.environ.items() if key not in STEERING}
    environment |= {"UV_NO_PROGRESS": "1", "NO_COLOR": "1"}
    environment.setdefault("UV_PYTHON_DOWNLOADS", "never")
    if arguments[:2] == ("python", "install"):
        environment["UV_PYTHON_DOWNLOADS"] = "manual"
    try:
        process = subprocess.Popen(
            tied("uv", [find_uv_bin(), *arguments]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=cwd,
            text=True,
            encoding="utf-8",
            errors="replace",
            # whoever interrupts a terminal's job means the harness, which stops it by itself
            start_new_session=True,
        )
    except OSError as error:
        return Answer(-1, "", f"uv cannot be run: {error.strerror or error}")
    _running.add(process)
    try:
        out, err = process.communicate(stdin or "", timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Answer(-1, "", f"uv {arguments[0]} took longer than {seconds:g} seconds")
    except BaseException:
        process.kill()
        raise
    finally:
        _running.discard(process)
    return Answer(process.returncode, out, err)


def stop() -> None:
    """End every uv that is at work, since nobody waits for it any more."""
    for process in tuple(_running):
        process.kill()
