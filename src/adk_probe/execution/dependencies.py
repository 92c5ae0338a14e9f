"""Two environments of pins: what changed from one to the other, which changes need each other, and mixtures of both."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from packaging.markers import default_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from adk_probe.execution.deltas import Changes, closed
from adk_probe.model import Interpreter


class Package(msgspec.Struct, frozen=True):
    """An installed distribution, and its ``Requires-Dist`` lines."""

    name: str
    version: str
    requires: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True):
    """How a distribution changed; a version is empty where it is not there."""

    name: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.name} {self.old or '(none)'} → {self.new or '(none)'}"


Packages = Mapping[str, Package]
Extras = dict[str, set[str]]


def packages(folder: Path) -> dict[str, Package]:
    """Return what is installed in an environment, by canonical name."""
    found: dict[str, Package] = {}
    for site in [*folder.glob("lib/python*/site-packages"), *folder.glob("Lib/site-packages")]:
        for dist in importlib.metadata.distributions(path=[str(site)]):
            name = canonicalize_name(dist.metadata["Name"])
            found[name] = Package(name, dist.version, tuple(dist.requires or ()))
    return found


def markers_of(interpreter: Interpreter) -> dict[str, str]:
    """Return what markers of requirements see in a target: this machine, with the target's Python."""
    own = {
        "python_version": interpreter.python,
        "python_full_version": interpreter.version,
        "implementation_version": interpreter.version,
        "platform_python_implementation": interpreter.implementation,
        "implementation_name": interpreter.implementation.lower(),
    }
    return {**{key: str(value) for key, value in default_environment().items()}, **own}


class Mixture:
    """Two environments, from which others are mixed: some distributions as in the new one, the rest as in the old.

    Args:
        roots: the names of what is asked for; all else is there because something requires it.
        markers: what markers see, see ``markers_of``.
    """

    def __init__(self, old: Packages, new: Packages, roots: Iterable[str], markers: Mapping[str, str]) -> None:
        self.old, self.new = old, new
        self.roots = [canonicalize_name(root) for root in roots]
        self.markers = markers
        every = sorted(old.keys() | new.keys())
        self.all = {name: _change(name, old, new) for name in every if _version(old, name) != _version(new, name)}
        self.changes = tuple(name for name in self.all if name in old and name in new)
        self.extras = self._reached(old), self._reached(new)
        whole = closed({name: frozenset(other) for name, other in self._direct().items()})
        self.bound = whole
        self.needs = {name: frozenset(whole[name] & set(self.changes)) for name in self.changes}
        """What must change with each change, so that everything finds what it requires; closed."""

    def pins(self, moved: Changes) -> tuple[str, ...]:
        """Return the pins of a mixture. What nothing requires any more is gone, and what is required new has come."""
        mixed = self.packages(moved)
        return tuple(sorted(f"{each.name}=={each.version}" for each in mixed.values()))

    def packages(self, moved: Changes) -> dict[str, Package]:
        """Return what a mixture holds."""
        if moved == frozenset(self.changes):
            return dict(self.new)
        if not moved:
            return dict(self.old)
        bound = frozenset().union(*(self.bound[name] for name in moved))
        mixed = {**self.new, **self.old, **{name: self.new[name] for name in bound if name in self.new}}
        # what nothing required stays, since nobody knows why it was there
        reached = self._reached(mixed, self.old.keys() - self.extras[0].keys())
        return {name: package for name, package in mixed.items() if name in reached}

    def requirers(self, name: str, among: Packages) -> tuple[str, ...]:
        """Return what requires a distribution."""
        extras = self._reached(among)
        return tuple(
            sorted(
                package.name
                for package in among.values()
                if any(each.name == name for each in self._requirements(package, extras.get(package.name, set())))
            )
        )

    def _direct(self) -> dict[str, set[str]]:
        """Return what must change with each change, by requirements alone.

        A distribution in its new version may require the new version of another one, or that it is there at all. In its
        old version it may require the old version of another one, so that the other one cannot change without it.
        """
        found: dict[str, set[str]] = {name: set() for name in self.all}
        for side, here, there in ((0, self.old, self.new), (1, self.new, self.old)):
            for name in self.all.keys() & here.keys():
                for wanted in self._requirements(here[name], self.extras[side].get(name, set())):
                    other = wanted.name
                    if other in self.all and _fits(wanted, here.get(other)) and not _fits(wanted, there.get(other)):
                        needing, needed = (name, other) if side else (other, name)
                        found[needing].add(needed)
        return found

    def _reached(self, among: Packages, more: Iterable[str] = ()) -> Extras:
        """Return what the roots (and ``more``) require, near or far, with the extras that are asked of each."""
        found: Extras = {}
        left: list[tuple[str, frozenset[str]]] = [(root, frozenset()) for root in (*self.roots, *more)]
        while left:
            name, extras = left.pop()
            if name not in among or (name in found and extras <= found[name]):
                continue
            found.setdefault(name, set()).update(extras)
            left += [(each.name, frozenset(each.extras)) for each in self._requirements(among[name], found[name])]
        return found

    def _requirements(self, package: Package, extras: Iterable[str]) -> list[Requirement]:
        """Return what a package requires here, by canonical names; a line that cannot be read requires nothing."""
        found = []
        for line in package.requires:
            try:
                wanted = Requirement(line)
            except InvalidRequirement:
                continue
            wanted.name = canonicalize_name(wanted.name)
            marker = wanted.marker
            if marker is None or any(marker.evaluate({**self.markers, "extra": each}) for each in ("", *extras)):
                found.append(wanted)
        return found


def _version(packages: Packages, name: str) -> str:
    return packages[name].version if name in packages else ""


def _change(name: str, old: Packages, new: Packages) -> Change:
    return Change(name, _version(old, name), _version(new, name))


def _fits(wanted: Requirement, package: Package | None) -> bool:
    return package is not None and wanted.specifier.contains(package.version, prereleases=True)
