"""Sets of pins to compare: those that evidence has, those that the index gives now, and those of a file."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence import store
from adk_probe.execution import env
from adk_probe.files import read_text
from adk_probe.model import Interpreter, Kind, Lane, Target
from adk_probe.project.config import Engine
from adk_probe.project.folder import Project

PIN = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[^\s=;]+)")


class Pins(msgspec.Struct, frozen=True):
    """A set of pins, ``name==version`` each, for a target; ``label`` says for people which it is."""

    label: str
    target: Target
    pins: tuple[str, ...]


def of_target(project: Project, target: Target, interpreter: Interpreter, *, again: bool = False) -> Pins:
    """Return the pins of a target: those of its evidence, else those that the index gives now.

    Args:
        again: ask the index although there is evidence.

    Raises:
        EvidenceError: the index gives none.
    """
    found = None if again else store.load_one(project.root, target)
    if found is not None and found.environment is not None and found.environment.pins:
        day = f", resolved on {found.resolved}" if found.resolved and target.lane is Lane.TODAY else ""
        return Pins(f"{target.release}, {target.lane}{day}", target, found.environment.pins)
    engine = project.config.engines[target.engine]
    uploaded = next(each.uploaded for each in project.releases.of(target.engine) if each.version == target.release)
    if target.lane is Lane.AS_RELEASED and not uploaded:
        raise EvidenceError(
            f"{target.label}: the index gives no upload time, so it cannot be resolved as released",
            "Give two sets of pins by --pins.",
        )
    try:
        resolved = env.resolve(target, engine, uploaded, interpreter.path, project.config.settings.build_seconds)
    except env.Failed as error:
        resolves = error.fault.kind is not Kind.RESOLVE
        hint = "Nothing was run; try again." if resolves else "Give two sets of pins by --pins."
        raise EvidenceError(error.fault.message, hint) from None
    when = "resolved now" if target.lane is Lane.TODAY else "resolved"
    return Pins(f"{target.release}, {target.lane}, {when}", target, resolved.pins)


def of_file(path: Path, engine: Engine, target: Target) -> Pins:
    """Return the pins of a file: a result of ``reports/results``, of any day, or lines ``name==version``.

    Raises:
        InputError: it cannot be read, has a line that is no pin, or none of the target's release.
    """
    text = read_text(path, path.name)
    pins = _of_result(text)
    if pins is None:
        pins = env.Resolved(text).pins
    for pin in pins:
        match = PIN.fullmatch(pin)
        if match is None or not _is_version(match["version"]):
            raise InputError(f"{path.name}: {pin!r} is no pin like name==1.2.3", "Give a result or a list of pins.")
    own = [pin.partition("==")[2] for pin in pins if _named(pin) == canonicalize_name(engine.distribution)]
    if Version(target.release) not in map(Version, own):
        raise InputError(
            f"{path.name}: its pins are not of {engine.distribution} {target.release}", "Choose another --release."
        )
    return Pins(path.name, target, tuple(sorted(f"{_named(pin)}=={pin.partition('==')[2]}" for pin in pins)))


def _named(pin: str) -> str:
    return str(canonicalize_name(pin.partition("==")[0]))


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


class _Environment(msgspec.Struct):
    pins: tuple[str, ...]


class _Result(msgspec.Struct):
    environment: _Environment


def _of_result(text: str) -> tuple[str, ...] | None:
    try:
        return msgspec.json.decode(text, type=_Result).environment.pins
    except (msgspec.DecodeError, RecursionError):
        return None
