"""Target → environment: find its pins once, then install them, wheels only and nothing of ours."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from adk_probe.execution import refusals, uv
from adk_probe.machine import surroundings, verify
from adk_probe.model import Fault, Kind, Lane, Outcome, Target
from adk_probe.project.config import Engine
from adk_probe.project.releases import cutoff

POISONED = "`uv cache clean {}` empties uv's cache of it"


class Failed(Exception):
    """An environment could not be made; carries the fault that its cells share."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Resolved(msgspec.Struct, frozen=True):
    """What a target is made of: the lines that uv installs by, each pin with the hashes that the index gives."""

    requirements: str

    @property
    def pins(self) -> tuple[str, ...]:
        """The pins alone, as ``name==version``, sorted."""
        lines = (line.strip().removesuffix("\\").strip() for line in self.requirements.splitlines())
        return tuple(sorted(line for line in lines if line and not line.startswith(("#", "-"))))


class Built(msgspec.Struct, frozen=True):
    """An installed environment: its interpreter, seconds of installing, size in bytes, and what it is by its files."""

    python: Path
    seconds: float
    size_bytes: int
    seal: verify.Seal


def resolve(
    target: Target, engine: Engine, uploaded: str, interpreter: str, seconds: float, before: Iterable[str] = ()
) -> Resolved:
    """Return the pins that the lane gives for a target.

    Args:
        before: pins that it once had; an index that no longer shows them is not to be believed.

    Raises:
        Failed: there is no solution (``resolve``), or uv or the index failed (``infrastructure``).
    """
    doing = f"resolving {target.label}"
    if surroundings.offline():
        raise _infrastructure_error(doing, "UV_OFFLINE is set, and only the index knows the pins")
    wanted = [f"{engine.distribution}=={target.release}", *engine.requires]
    options = ["--exclude-newer", cutoff(uploaded)] if target.lane is Lane.AS_RELEASED else []
    answer = uv.call(
        *("pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--no-build", "--generate-hashes"),
        *("--python", interpreter, *options),
        seconds=seconds,
        stdin="\n".join(wanted) + "\n",
    )
    for name, version in refusals.unreadable(answer):
        if not _vouched_metadata(name, version):
            # without it the resolver takes another version, and says no word
            raise _infrastructure_error(doing, f"what the package index serves of {name} {version} cannot be read")
    if answer.code == 0:
        return Resolved(answer.out)
    known = [engine.distribution, *(pin.partition("==")[0] for pin in before)]
    if not refusals.is_no_solution(answer):
        raise _infrastructure_error(doing, refusals.words(answer))
    if name := refusals.lost(answer, known):
        what = f"such release of {name}" if name == engine.distribution else f"{name} as it had before"
        raise _infrastructure_error(doing, f"the package index in use has no {what}: {refusals.words(answer)}")
    raise Failed(Fault(Outcome.ERROR, f"{doing}: {refusals.words(answer)}", Kind.RESOLVE))


def _infrastructure_error(doing: str, what: str) -> Failed:
    return Failed(Fault(Outcome.ERROR, f"{doing}: {what}", Kind.INFRASTRUCTURE))


def _vouched_metadata(name: str, version: str) -> bool:
    # imported where it is needed, since it loads an HTTP client
    from adk_probe.execution import wheels

    return wheels.vouched_metadata(name, version)


def _published_fault(name: str, version: str, filename: str) -> str:
    from adk_probe.execution import wheels

    return wheels.published_fault(name, version, filename)


def install(folder: Path, target: Target, resolved: Resolved, interpreter: str, seconds: float) -> Built:
    """Make the environment again in ``folder``, and compare it with the RECORD files of what was installed.

    What differs comes from a cache that was changed, so that it is fetched once more.

    Raises:
        Failed: a wheel is broken as the index has it (``install``), or uv, the index, the cache or the disk failed.
    """
    began = time.monotonic()
    doing = f"installing {target.label}"
    try:
        own = _empty(folder, doing, interpreter, seconds)
        _fill(folder, doing, resolved, seconds)
        try:
            seal = verify.seal(folder, own)
        except verify.Damaged as damage:
            own = _empty(folder, doing, interpreter, seconds)
            _fill(folder, doing, resolved, seconds, refresh=damage.distributions)
            seal = _sealed(folder, own, doing)
    except Failed:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise _infrastructure_error(doing, error.strerror or str(error)) from None
    took = time.monotonic() - began
    return Built(python_of(folder), round(took, 4), size(folder), seal)


def _empty(folder: Path, doing: str, interpreter: str, seconds: float) -> dict[str, str]:
    """Make an environment with nothing in it; return its files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    answer = uv.call("venv", "--quiet", "--no-project", "--python", interpreter, str(folder), seconds=seconds)
    if answer.code:
        raise _infrastructure_error(doing, refusals.words(answer))
    return verify.own_files(folder)


def _fill(folder: Path, doing: str, resolved: Resolved, seconds: float, refresh: tuple[str, ...] | None = None) -> None:
    """Install into an environment; ``refresh`` names distributions to fetch once more, all when it is empty."""
    options = [] if refresh is None else [f"--refresh-package={_name(each)}" for each in refresh] or ["--refresh"]
    answer = uv.call(
        # a copy, since links lead into the cache of all environments; uv's `clone` links where there are no reflinks
        *("pip", "install", "--quiet", "--no-build", "--no-deps", "--link-mode", "copy"),
        *(*options, "--python", str(python_of(folder)), "-r", "-"),
        seconds=seconds,
        stdin=resolved.requirements,
    )
    if answer.code == 0:
        return
    refused = refusals.refused_file(answer)
    if refused and (fault := _published_fault(*refused)):
        said = f"{refusals.words(answer)}; the index has it like this: {fault}"
        raise Failed(Fault(Outcome.ERROR, f"{doing}: {said}", Kind.INSTALL))
    raise _infrastructure_error(doing, refusals.words(answer))


def _sealed(folder: Path, own: Mapping[str, str], doing: str) -> verify.Seal:
    """Return the seal of an environment that was fetched once more; what differs still is not the cache's fault."""
    try:
        return verify.seal(folder, own)
    except verify.Damaged as damage:
        for each in damage.distributions:
            if fault := _published_fault(_name(each), each.partition("-")[2], ""):
                raise Failed(Fault(Outcome.ERROR, f"{doing}: the wheel of {each}: {fault}", Kind.INSTALL)) from None
        hint = POISONED.format(" ".join(_name(each) for each in damage.distributions)).replace("  ", " ")
        raise _infrastructure_error(doing, f"{damage}, though it was fetched once more; {hint}") from None


def _name(distribution: str) -> str:
    """Return the name in ``name-version``, as folders of metadata are called."""
    return distribution.partition("-")[0].replace("_", "-")


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
