"""An environment for running examples, if none is given."""

from __future__ import annotations

from pathlib import Path

import msgspec

from adk_probe.errors import InfrastructureError, InputError
from adk_probe.execution import env, interpreters
from adk_probe.files import to_json, write_atomic
from adk_probe.machine.state import Local
from adk_probe.machine.verify import Damaged, Seal, check
from adk_probe.model import Lane, Target
from adk_probe.project import releases
from adk_probe.project.config import Config, load
from adk_probe.project.folder import MATRIX_FILE, RELEASES_FILE

PYTHONS = ("3.12", "3.13", "3.11")
"""Python versions, in the order in which they are tried."""


def environment(root: Path, release: str = "newest", *, engine: str = "google-adk", python: str = "") -> Path:
    """Return the Python of an environment with a release. It is made on first use and kept under ``.adk-probe``.

    Args:
        root: the folder with ``matrix.toml``.
        release: a version, a range (its newest release is taken) or ``newest``.
        engine: the engine's name in ``matrix.toml``.
        python: a version such as ``3.12``; by default the first of ``PYTHONS`` on this machine.

    Raises:
        InputError: there is no such engine or release, or no such Python on this machine.
        InfrastructureError: the environment cannot be made.
    """
    declared = load(root / MATRIX_FILE)
    if engine not in declared.engines:
        raise InputError(f"{MATRIX_FILE}: no engine {engine!r}", f"Use one of {', '.join(declared.engines)}.")
    chosen = releases.load(root / RELEASES_FILE).choose(engine, release)[-1]
    wanted = (python,) if python else PYTHONS
    found = interpreters.find(list(wanted))
    name = next((each for each in wanted if each in found), None)
    if name is None:
        hint = "Install one of them, or name the version of an installed Python with --python."
        raise InputError(f"there is no Python {', '.join(wanted)} on this machine", hint)
    target = Target(engine, chosen.version, name, Lane.TODAY)
    local = Local(root)
    own, seal = local.environment(target), local.state(target).seal
    if local.state(target).installed is not None and seal is not None and _complete(own, seal):
        return env.python_of(own)
    folder = local.folder / "differential" / target.key
    done = folder.with_name(f"{folder.name}.seal.json")
    known = _seal(done)
    if known is None or not _complete(folder, known):
        write_atomic(done, to_json(_make(folder, target, declared, chosen.uploaded, found[name].path)))
    return env.python_of(folder)


def _complete(folder: Path, seal: Seal) -> bool:
    try:
        check(folder, seal)
    except Damaged:
        return False
    return True


def _seal(path: Path) -> Seal | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Seal)
    except (OSError, msgspec.DecodeError):
        return None


def _make(folder: Path, target: Target, declared: Config, uploaded: str, interpreter: str) -> Seal:
    about, seconds = declared.engines[target.engine], declared.settings.build_seconds
    try:
        resolved = env.resolve(target, about, uploaded, interpreter, seconds)
        return env.install(folder, target, resolved, interpreter, seconds).seal
    except env.Failed as error:
        hint = "If the index did not answer, run it again. Otherwise name another release or Python."
        raise InfrastructureError(error.fault.message, hint) from None
