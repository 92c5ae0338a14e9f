"""What a mechanism is, and which there are.

A package of this one that has an ``ENGINE`` is an engine's; each of its modules that has a ``MECHANISM`` is a way to
generate for that engine. So adding one touches nothing else.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType
from typing import Protocol

from adk_probe.codegen.spec import Spec
from adk_probe.codegen.views import Views
from adk_probe.errors import InputError
from adk_probe.graph.ir import Finding, Graph


class Mechanism(Protocol):
    """One way to generate a project."""

    @property
    def name(self) -> str:
        """What users call it, such as ``loop-agent``."""

    @property
    def engine(self) -> str:
        """The engine that it generates for, by its name in ``matrix.toml``."""

    @property
    def on_request(self) -> bool:
        """Whether it is taken only by who asks for it by name, since its projects are used in another way."""

    @property
    def reserved(self) -> frozenset[str]:
        """Names that its modules use for themselves, so that nothing of a graph may be called so in them."""

    def cannot_express(self, graph: Graph, release: str | None) -> list[Finding]:
        """Return what in a valid graph it has no way to generate, each naming its node and the mechanism.

        Args:
            graph: a valid graph.
            release: version of the engine; None asks only for what no release can express.
        """

    def project(self, spec: Spec, views: Views) -> dict[str, str]:
        """Return all files: path in the project, with ``/``, to text.

        What is under ``support/`` is written as it is; other Python is formatted, and loses imports that nothing uses.
        """


@lru_cache(maxsize=1)
def mechanisms() -> dict[str, Mechanism]:
    """Return every mechanism by its name, in the order of names."""
    found: dict[str, Mechanism] = {}
    for engine in _inside(importlib.import_module(__package__ or ""), packages=True):
        for module in _inside(engine) if hasattr(engine, "ENGINE") else ():
            made: Mechanism | None = getattr(module, "MECHANISM", None)
            if made is not None:
                found[made.name] = made
    return dict(sorted(found.items()))


def _inside(package: ModuleType, *, packages: bool = False) -> Iterator[ModuleType]:
    """Yield the modules of a package, or the packages in it."""
    for info in pkgutil.iter_modules(package.__path__):
        if info.ispkg == packages:
            yield importlib.import_module(f"{package.__name__}.{info.name}")


def mechanism(name: str) -> Mechanism:
    """Return the mechanism of that name.

    Raises:
        InputError: there is none.
    """
    known = mechanisms()
    if name not in known:
        raise InputError(f"there is no mechanism {name!r}", f"Known are {', '.join(known)}.")
    return known[name]
