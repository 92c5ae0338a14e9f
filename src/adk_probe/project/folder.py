"""Everything that is declared in a project's folder, read once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from adk_probe.errors import InputError
from adk_probe.model import Target
from adk_probe.project import catalog, config, releases
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config
from adk_probe.project.plan import Choice, Planned, plan
from adk_probe.project.releases import Releases
from adk_probe.ranges import Scale, scale

MATRIX_FILE = "matrix.toml"
RELEASES_FILE = "reports/releases.json"


class Project(msgspec.Struct, frozen=True):
    """A folder with ``matrix.toml``, probes and reports."""

    root: Path
    config: Config
    catalog: Catalog
    releases: Releases

    def plan(self, choice: Choice) -> list[Planned]:
        """Return the targets that a choice means; raises as :func:`adk_probe.project.plan.plan` does."""
        return plan(self.config, self.releases, self.catalog, choice)

    def max_age(self, days: int | None) -> int:
        """Return for how many days evidence is fresh: what was asked for, or what ``matrix.toml`` says."""
        return self.config.settings.max_age if days is None else days

    def engine_of(self, name: str, engine: str | None) -> str:
        """Return the engine of a mechanism or a probe, which need not be named beside it.

        Raises:
            InputError: there is no such mechanism or probe, or it is of another engine than the one named.
        """
        named = engine if engine is None else self.config.engine(engine)
        # a row of the matrix is named as it stands there: `mechanism+feature`
        name = name.partition("+")[0]
        if name in self.config.mechanisms:
            found = [self.config.mechanisms[name].engine]
        else:
            found = [each for each, probes in sorted(self.catalog.probes.items()) if name in probes]
        if not found:
            self.catalog.probe(name, named)
        if named is not None and named not in found:
            raise InputError(f"{name} is of {' and '.join(found)}, not of {named}", "Leave --engine out.")
        preferred = self.config.settings.default_engine
        return named or (preferred if preferred in found else found[0])

    def scale(self, engine: str, targets: Iterable[Target]) -> Scale:
        """Return the versions of an engine, known or among ``targets``, by which targets are put into words."""
        own = (target for target in targets if target.engine == engine)
        return scale(self.config.pythons, self.releases.engines.get(engine, ()), own)


def find_root(start: Path) -> Path:
    """Return the nearest folder, from ``start`` upwards, that holds ``matrix.toml``.

    Raises:
        InputError: there is none.
    """
    for folder in (start, *start.resolve().parents):
        # whatever it is: what cannot be read is to be named, not passed over for one further up
        if os.path.lexists(folder / MATRIX_FILE):
            return folder.resolve()
    raise InputError(
        f"no {MATRIX_FILE} in {start.name or 'this folder'} or above it",
        "Give the project's folder by --root.",
    )


def open_project(root: Path) -> Project:
    """Read a project's declarations; raises InputError or EvidenceError with all that is wrong."""
    declared = config.load(root / MATRIX_FILE)
    probes = catalog.load(root, declared)
    return Project(root, declared, probes, releases.load(root / RELEASES_FILE))
