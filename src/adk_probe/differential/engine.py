"""A long-lived process in a target that runs generated projects, each in a child process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import Struct

from adk_probe.errors import InfrastructureError
from adk_probe.execution.records import read_records
from adk_probe.files import scratch, tail_of
from adk_probe.inside import SERVER
from adk_probe.project.config import Engine

SECONDS = 60.0
MEMORY = 1024
START_SECONDS = 300.0
_ASK = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"


class ProjectOutcome(Struct, frozen=True):
    """How a cell ended.

    Attributes:
        outcome: ``pass``, ``fail``, ``absent`` or ``error``, as with probes.
        message: the runner's message.
        divergence: where the run differs from the reference, from the runner's ``comparing.parted``, or empty.
    """

    outcome: str
    message: str
    divergence: dict[str, Any] = {}


def release_of(python: Path, distribution: str) -> str:
    """Return the release of a distribution in an environment.

    Raises:
        InfrastructureError: the distribution is not installed, or the Python does not run.
    """
    command = [str(python), "-s", "-c", _ASK, distribution]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=START_SECONDS)
    except (OSError, subprocess.SubprocessError):
        hint = f"Name the Python of an environment in which {distribution} is installed."
        raise InfrastructureError(f"{python.name}: there is no {distribution}", hint) from None
    return done.stdout.strip()


class Warm:
    """A context manager for running projects on an engine that is imported once.

    Args:
        python: the Python of an environment with the engine.
        root: the folder with ``matrix.toml``.
        engine: the engine's declaration in that file.
    """

    def __init__(self, python: Path, root: Path, engine: Engine) -> None:
        self.python = python
        self.engine = engine
        self.runner = (root / engine.fidelity).resolve()
        self.count = 0
        with scratch():
            self._folder = tempfile.TemporaryDirectory(prefix="adk-probe-", ignore_cleanup_errors=True)
        self.scratch = Path(self._folder.name)

    def __enter__(self) -> Self:
        read, write = os.pipe()
        environment = {
            "PATH": os.defpath,
            "HOME": str(self.scratch),
            "TMPDIR": str(self.scratch),
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
            "ADK_PROBE_DISTRIBUTION": self.engine.distribution,
        }
        with scratch():
            output = (self.scratch / "output").open("wb")
        with output:
            self._process = subprocess.Popen(
                [str(self.python), "-s", str(SERVER), str(write), self.engine.import_, *self.engine.warm],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env=environment,
                cwd=self.scratch,
                pass_fds=(write,),
                start_new_session=True,
            )
        os.close(write)
        self._read = read
        self._rest = b""
        if fault := self._event(START_SECONDS).get("fault"):
            self.__exit__(None, None, None)
            hint = "Use an environment in which the engine can be imported."
            raise InfrastructureError(f"the engine cannot be imported: {fault}", hint)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        self._folder.cleanup()

    def run(self, project: Path, job: dict[str, Any]) -> ProjectOutcome:
        """Play a job on a generated project. See ``codegen.fidelity.fidelity_job``."""
        self.count += 1
        name = f"cell-{self.count}"
        place, out = self.scratch / f"{name}.json", self.scratch / f"{name}.jsonl"
        with scratch():
            place.write_text(json.dumps(job), encoding="utf-8")
        cell = {
            "id": name,
            "path": str(self.runner),
            "out": str(out),
            "timeout": SECONDS,
            "memory": MEMORY,
            "isolated": False,
            "options": ["-s"],
            "arguments": ["--project", str(project), "--job", str(place), "--id", name],
        }
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(cell).encode() + b"\n")
            self._process.stdin.flush()
            return _ended(self._event(SECONDS + 20), out, name)
        except BrokenPipeError:
            raise InfrastructureError("the process in the target ended", "Run the test again.") from None
        finally:
            place.unlink(missing_ok=True)
            out.unlink(missing_ok=True)

    def _last_words(self) -> str:
        try:
            return tail_of(self.scratch / "output", 500).decode("utf-8", "replace")
        except OSError:
            # a project put something else there, or nothing
            return ""

    def _event(self, seconds: float) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while b"\n" not in self._rest:
            ready = select.select([self._read], [], [], max(0.0, until - time.monotonic()))[0]
            chunk = os.read(self._read, 1 << 16) if ready else b""
            if not chunk:
                said = self._last_words()
                what = f"the process in the target {'ended' if ready else 'is stuck'}: {said}"
                raise InfrastructureError(what, "Run the test again.")
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        return event


def _ended(event: dict[str, Any], out: Path, name: str) -> ProjectOutcome:
    said = read_records(out, name)
    if "limit" in event:
        return ProjectOutcome("error", f"it exceeded its limit of {event['limit']}")
    if event.get("status") != 0 or said.done is None:
        lines = str(event.get("tail", "")).splitlines()
        # the exception's own line, and the lines below it
        last = max((index for index, line in enumerate(lines) if line[:1].strip()), default=0)
        words = " ".join(" ".join(lines[last:]).split()) or said.fault
        return ProjectOutcome("error", f"{words[:400]} (exit code {event.get('status')})")
    parted = said.facts.get("parted")
    return ProjectOutcome(str(said.done.outcome), said.done.message, parted if isinstance(parted, dict) else {})
