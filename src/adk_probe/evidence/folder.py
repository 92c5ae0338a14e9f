"""Everything that is declared in a project's folder, read once."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

import msgspec

from adk_probe.errors import InputError
from adk_probe.evidence import gate, not_run, store
from adk_probe.evidence.judge import Evidence, Judgement, judge
from adk_probe.evidence.not_run import NotRun
from adk_probe.machine.state import Local
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

    def judge(self, choice: Choice, max_age: int | None) -> Judgement:
        """Judge all evidence there is, and name what is missing of a choice's targets and of what was accepted.

        Files that are no evidence are named in the judgement's ``notes``.

        Args:
            max_age: days for which evidence of the lane ``today`` counts as fresh; None looks at no age.
        """
        loaded = store.load(self.root)
        lock = gate.load(self.root / gate.FILE)
        evidence = Evidence(
            loaded.results,
            {fault.key: fault.why for fault in loaded.faults},
            gate.accepted(lock),
            Local(self.root).unavailable(),
        )
        planned, day = self.plan(choice), today()
        verdicts = judge(self.config, self.catalog, planned, evidence, day, max_age)
        mismatched = {key: why for key, why in verdicts.unreadable.items() if key in loaded.results}
        lines = (f"{store.path_of(key)}: {why}" for key, why in mismatched.items())
        noted = msgspec.structs.replace(verdicts, notes=(*map(str, loaded.faults), *lines))
        known = not_run.known(loaded.results, evidence.unreadable, lock.cells, lock.mechanisms)
        # where nothing was ever accepted, there is nothing that would have to stay as it was
        new = not_run.find(self.config, self.catalog, known) if lock.cells else NotRun()
        if not new:
            return noted
        config, catalog = not_run.without(self.config, self.catalog, new)
        old = [item for item in planned if item.target.engine in config.engines]
        settled = judge(config, catalog, old, evidence, day, max_age)
        settled = msgspec.structs.replace(settled, notes=noted.notes)
        return msgspec.structs.replace(noted, not_run=new, settled=settled)

    def settled(self, judgement: Judgement) -> tuple[Project, Judgement]:
        """Return the project and its judgement as they are without what was never run."""
        if judgement.settled is None:
            return self, judgement
        config, catalog = not_run.without(self.config, self.catalog, judgement.not_run)
        return msgspec.structs.replace(self, config=config, catalog=catalog), judgement.settled

    def max_age(self, days: int | None) -> int:
        """Return for how many days evidence is fresh: what was asked for, or what ``matrix.toml`` says."""
        return self.config.settings.max_age if days is None else days

    def engine_of(self, name: str, engine: str | None) -> str:
        """Return the engine of a mechanism or a probe, which need not be named beside it.

        Raises:
            InputError: there is no such mechanism or probe, or it is of another engine than the one named.
        """
        named = engine if engine is None else self.config.engine(engine)
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

    def scale(self, engine: str, judgement: Judgement) -> Scale:
        """Return the versions of an engine by which targets are put into words."""
        targets = (target for target in judgement.targets if target.engine == engine)
        return scale(self.config.pythons, self.releases.engines.get(engine, ()), targets)


def today() -> datetime.date:
    """Return the day (UTC) on which evidence is judged."""
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
    declared = config.load(root / MATRIX_FILE)
    probes = catalog.load(root, declared)
    return Project(root, declared, probes, releases.load(root / RELEASES_FILE))
