"""Target → environment: find its pins once, then install them, wheels only and nothing of ours."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import time
from pathlib import Path

import msgspec
from packaging.utils import canonicalize_name

from adk_probe import uv
from adk_probe.matrix import Engine
from adk_probe.model import Fault, Kind, Lane, Outcome, Target

# what uv says when the index answered and there simply is no way to resolve or install it; all else is trouble
NO_SOLUTION = re.compile(
    r"No solution found|unsatisfiable|no wheels|no usable wheels|has no (?:compatible|matching)|"
    r"building from source is disabled|was not found in the (?:package registry|provided package locations)|"
    # a file that the index serves whole and that is no good wheel
    r"Bad CRC|[Hh]ash mismatch|invalid (?:[Zz]ip|[Ww]heel)|(?:[Ww]heel|[Mm]etadata|RECORD)[^:]* is invalid|"
    r"Metadata file|(?:zip|ZIP) (?:file|archive)"
)


# what it says beside that when the index did not really answer
UNANSWERED = re.compile(r"network was disabled|could not be queried|returned a \d{3} |lack of valid authentication")


class Failed(Exception):
    """An environment could not be made; carries the fault that its cells share."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Built(msgspec.Struct, frozen=True):
    """An installed environment: its interpreter, seconds it took to install, and size in bytes."""

    python: Path
    seconds: float
    size_bytes: int


def cutoff(uploaded: str) -> str:
    """Return the time a day after an upload, before which the lane ``as-released`` resolves."""
    return (datetime.datetime.fromisoformat(uploaded) + datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")


def resolve(target: Target, engine: Engine, uploaded: str, interpreter: str, seconds: float) -> tuple[str, ...]:
    """Return the pins (``name==version``, sorted) that the lane gives for a target.

    Raises:
        Failed: there is no solution (``resolve``), or uv or the index failed (``infrastructure``).
    """
    wanted = [f"{engine.distribution}=={target.release}", *engine.requires]
    options = ["--exclude-newer", cutoff(uploaded)] if target.lane is Lane.AS_RELEASED else []
    answer = uv.call(
        *("pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--no-build"),
        *("--python", interpreter, *options),
        seconds=seconds,
        stdin="\n".join(wanted) + "\n",
    )
    if answer.code:
        raise Failed(_fault(answer, Kind.RESOLVE, f"resolving {target.label}", engine.distribution))
    lines = (line.strip() for line in answer.out.splitlines())
    return tuple(sorted(line for line in lines if line and not line.startswith(("#", "-"))))


def _fault(answer: uv.Answer, kind: Kind, doing: str, distribution: str = "") -> Fault:
    full_disk = "No space left on device" in answer.err
    said = " ".join(answer.err.split())
    own = not full_disk and NO_SOLUTION.search(said) is not None and UNANSWERED.search(said) is None
    words = "no space left on the disk" if full_disk else answer.last_words()
    name = re.escape(canonicalize_name(distribution))
    if distribution and re.search(rf"no versions? of {name}(?:==\S+)? and|Because {name} was not found", said):
        # the release is known to be there, so it is the index in use that lacks it, or its upload time
        own, words = False, f"the package index in use has no such release of {distribution}: {words}"
    return Fault(Outcome.ERROR, f"{doing}: {words}", kind if own else Kind.INFRASTRUCTURE)


def install(folder: Path, target: Target, pins: tuple[str, ...], interpreter: str, seconds: float) -> Built:
    """Make the environment anew in ``folder``.

    Raises:
        Failed: a wheel cannot be installed, or uv, the index or the disk failed.
    """
    began = time.monotonic()
    doing = f"installing {target.label}"
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failed(Fault(Outcome.ERROR, f"{doing}: {error.strerror}", Kind.INFRASTRUCTURE)) from None
    for arguments, stdin in (
        (("venv", "--quiet", "--no-project", "--python", interpreter, str(folder)), None),
        (
            (
                "pip",
                "install",
                "--quiet",
                "--no-build",
                "--no-deps",
                "--python",
                str(python_of(folder)),
                "-r",
                "-",
            ),
            "\n".join(pins) + "\n",
        ),
    ):
        answer = uv.call(*arguments, seconds=seconds, stdin=stdin)
        if answer.code:
            shutil.rmtree(folder, ignore_errors=True)
            raise Failed(_fault(answer, Kind.INSTALL, doing))
    took = time.monotonic() - began
    return Built(python_of(folder), round(took, 4), size(folder))


def python_of(folder: Path) -> Path:
    """Return the interpreter of the environment in ``folder``."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def size(folder: Path) -> int:
    """Return the sum of the sizes of the files below ``folder`` in bytes, bytecode left out."""
    total = 0
    for place, _, names in os.walk(folder):
        if not place.endswith("__pycache__"):
            total += sum(os.lstat(os.path.join(place, name)).st_size for name in names)  # noqa: PTH118 - 20,000 files
    return total
