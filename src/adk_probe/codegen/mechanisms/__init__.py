"""The ways to generate a loop: a module each, found by its name; adding one touches nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache

from adk_probe.codegen.mechanisms.base import CANNOT_EXPRESS, Mechanism, WholeProject
from adk_probe.errors import InputError

__all__ = ["CANNOT_EXPRESS", "Mechanism", "WholeProject", "mechanism", "mechanisms"]


@lru_cache(maxsize=1)
def mechanisms() -> dict[str, Mechanism | WholeProject]:
    """Every mechanism by its name (that of its module, with hyphens), in the order of names."""
    found: dict[str, Mechanism | WholeProject] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        made = getattr(module, "MECHANISM", None)
        if made is not None:
            found[info.name.replace("_", "-")] = made
    return dict(sorted(found.items()))


def mechanism(name: str) -> Mechanism | WholeProject:
    """The mechanism of that name.

    Raises:
        InputError: there is none.
    """
    known = mechanisms()
    if name not in known:
        raise InputError(f"there is no mechanism {name!r}", f"Known are {', '.join(known)}.")
    return known[name]
