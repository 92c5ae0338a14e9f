"""Everything that is declared in a project's folder, read once."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

import msgspec

from adk_probe import catalog, matrix, releases, store
from adk_probe.catalog import Catalog
from adk_probe.errors import InputError
from adk_probe.judge import Judgement, judge
from adk_probe.local import Local
from adk_probe.matrix import Matrix
from adk_probe.plan import Choice, Planned, plan
from adk_probe.releases import Releases

MATRIX_FILE = "matrix.toml"
RELEASES_FILE = "reports/releases.json"


class Project(msgspec.Struct, frozen=True):
    """A folder with ``matrix.toml``, probes and reports."""

    root: Path
    matrix: Matrix
    catalog: Catalog
    releases: Releases

    def plan(self, choice: Choice) -> list[Planned]:
        """Return the targets that a choice means; raises as :func:`adk_probe.plan.plan` does."""
        return plan(self.matrix, self.releases, self.catalog, choice)

    def judge(self, choice: Choice) -> Judgement:
        """Judge all evidence there is, and name what is missing of a choice's targets.

        Files that are no evidence are named in the judgement's ``notes``.
        """
        loaded = store.load(self.root)
        verdicts = judge(
            self.matrix,
            self.catalog,
            self.plan(choice),
            loaded.results,
            Local(self.root).unavailable(),
            _today(),
        )
        return msgspec.structs.replace(verdicts, notes=loaded.faults)


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


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
    declared = matrix.load(root / MATRIX_FILE)
    probes = catalog.load(root, declared)
    return Project(root, catalog.concrete(declared, probes), probes, releases.load(root / RELEASES_FILE))
