"""The releases and Pythons that the front door offers a session each for; asks no index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from adk_probe.model import python_order
from adk_probe.project import config, releases
from adk_probe.project.config import DEFAULT_SUITE, Config, Group
from adk_probe.project.plan import releases_of


class Pair(msgspec.Struct, frozen=True):
    """One release on one Python; its session runs it in every lane that the suite names."""

    suite: str
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
        suite = ("--suite", self.suite, "--engine", self.engine)
        return (*suite, "--release", self.release, "--python", self.python)


def pairs(root: Path) -> list[Pair]:
    """Return the pairs of the default suite, by engine, release and Python.

    An engine that it does not name has those of the first suite that does.

    Raises:
        ProbeError: ``matrix.toml`` or ``reports/releases.json`` is wrong or not there.
    """
    declared = config.load(root / "matrix.toml")
    known = releases.load(root / "reports/releases.json")
    found: dict[Pair, tuple[int, tuple[int, ...]]] = {}
    for suite, group in _groups(declared):
        if not known.engines.get(group.engine):
            # an engine that is new, of which the index was not asked yet
            continue
        order = [release.version for release in known.of(group.engine)]
        for release in releases_of(group, known):
            for python in group.pythons:
                place = order.index(release.version), python_order(python)
                found[Pair(suite, group.engine, release.version, python)] = place
    return sorted(found, key=lambda pair: (pair.engine, found[pair]))


def _groups(declared: Config) -> Iterator[tuple[str, Group]]:
    suites = sorted(declared.suites, key=lambda name: name != DEFAULT_SUITE)
    first: dict[str, str] = {}
    for name in suites:
        for group in declared.suites[name].targets:
            if first.setdefault(group.engine, name) == name:
                yield name, group
