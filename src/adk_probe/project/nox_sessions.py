"""The releases and Pythons that the front door offers a session each for; asks no index."""

from __future__ import annotations

from pathlib import Path

import msgspec

from adk_probe.model import python_order
from adk_probe.project import config, releases
from adk_probe.project.config import DEFAULT_SUITE


class Pair(msgspec.Struct, frozen=True):
    """One release on one Python; its session runs it in every lane that the suite names."""

    engine: str
    release: str
    python: str

    @property
    def session(self) -> str:
        """The session's name, spelt as Nox spells a parametrized one."""
        return f"target-{self.python}({self.engine.replace('-', '_')}='{self.release}')"

    @property
    def options(self) -> tuple[str, ...]:
        """The options of ``adk-probe run`` that choose it."""
        suite = ("--suite", DEFAULT_SUITE, "--engine", self.engine)
        return (*suite, "--release", self.release, "--python", self.python)


def pairs(root: Path) -> list[Pair]:
    """Return the pairs of the default suite, by engine, release and Python.

    Raises:
        ProbeError: ``matrix.toml`` or ``reports/releases.json`` is wrong or not there.
    """
    declared = config.load(root / "matrix.toml")
    known = releases.load(root / "reports/releases.json")
    found: dict[Pair, tuple[int, tuple[int, ...]]] = {}
    for group in declared.suite(DEFAULT_SUITE).targets:
        order = [release.version for release in known.of(group.engine)]
        for text in group.releases:
            for release in known.choose(group.engine, text):
                for python in group.pythons:
                    place = order.index(release.version), python_order(python)
                    found[Pair(group.engine, release.version, python)] = place
    return sorted(found, key=lambda pair: (pair.engine, found[pair]))
