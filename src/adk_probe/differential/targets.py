"""An environment to run examples in, where none is given."""

from __future__ import annotations

from pathlib import Path

import msgspec

from adk_probe import env, interpreters, releases
from adk_probe.errors import InfrastructureError, InputError
from adk_probe.files import to_json, write_atomic
from adk_probe.local import Local
from adk_probe.matrix import Matrix, load
from adk_probe.model import Lane, Target
from adk_probe.project import MATRIX_FILE, RELEASES_FILE
from adk_probe.verify import Damaged, Seal, check

PYTHONS = ("3.12", "3.13", "3.11")
"""In the order in which they are tried."""


def environment(root: Path, release: str = "newest", *, engine: str = "google-adk", python: str = "") -> Path:
    """The Python of an environment with a release; it is made on first use and kept under ``.adk-probe``.

    Args:
        root: the folder with ``matrix.toml``.
        release: a version, a range (the newest of it is taken) or ``newest``.
        engine: its name in ``matrix.toml``.
        python: such as ``3.12``; by default the first of ``PYTHONS`` that is here.

    Raises:
        InputError: there is no such engine or release, or no such Python here.
        InfrastructureError: the environment cannot be made.
    """
    declared = load(root / MATRIX_FILE)
    if engine not in declared.engines:
        raise InputError(f"{MATRIX_FILE}: no engine {engine!r}", f"Declared are {', '.join(declared.engines)}.")
    chosen = releases.load(root / RELEASES_FILE).choose(engine, release)[-1]
    wanted = (python,) if python else PYTHONS
    found = interpreters.find(list(wanted))
    name = next((each for each in wanted if each in found), None)
    if name is None:
        raise InputError(f"no Python {', '.join(wanted)} is found here", "Name one that is, by --python.")
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


def _make(folder: Path, target: Target, declared: Matrix, uploaded: str, interpreter: str) -> Seal:
    about, seconds = declared.engines[target.engine], declared.settings.build_seconds
    try:
        resolved = env.resolve(target, about, uploaded, interpreter, seconds)
        return env.install(folder, target, resolved, interpreter, seconds).seal
    except env.Failed as error:
        raise InfrastructureError(error.fault.message) from None
