"""What an observation depends on: a digest by name for each thing, so that a change can be named."""

from __future__ import annotations

import functools

from adk_probe.files import digest
from adk_probe.inside import SOURCE_LOADER, WORKER, ZYGOTE
from adk_probe.model import Environment, Fault, Interpreter, Observation, Probe
from adk_probe.project.catalog import Catalog

DIGITS = 16
"""How many hexadecimal digits of a SHA-256 stand for an input: enough to notice any accidental change."""


def code_inputs(catalog: Catalog, probe: Probe) -> dict[str, str]:
    """Return the inputs that this project's own files make up."""
    own = {"probe": catalog.bytes[probe.file], "kit": catalog.kits[probe.file], "worker": _worker()}
    return _short({**own, **probe.inputs})


def _short(sums: dict[str, str]) -> dict[str, str]:
    return {name: value[:DIGITS] for name, value in sums.items()}


@functools.lru_cache(maxsize=1)
def _worker() -> str:
    return digest({path.name: digest(path.read_bytes()) for path in (WORKER, SOURCE_LOADER, ZYGOTE)})


def environment_inputs(environment: Environment) -> dict[str, str]:
    """Return the inputs that the environment makes up."""
    build = (environment.implementation, environment.python, environment.build)
    sums = {"pins": digest(environment.pins), "python": digest(build), "platform": digest(environment.platform)}
    return _short(sums)


def environment_of(interpreter: Interpreter, pins: tuple[str, ...]) -> Environment:
    """Return the digested part of an environment."""
    return Environment(interpreter.version, interpreter.implementation, interpreter.build, interpreter.platform, pins)


def fault_inputs(catalog: Catalog, environment: Environment | None) -> dict[str, str]:
    """Return what a whole target's fault depends on."""
    code = code_inputs(catalog, catalog.controls[0])
    surroundings = environment_inputs(environment) if environment is not None else {}
    return {"worker": code["worker"], **surroundings}


def changed(observation: Observation | Fault, inputs: dict[str, str]) -> tuple[str, ...]:
    """Return the names of the inputs that are no longer what the observation was made with."""
    if observation.inputs == inputs:
        return ()
    names = sorted(observation.inputs.keys() | inputs.keys())
    return tuple(name for name in names if observation.inputs.get(name) != inputs.get(name))
