"""The part of a judgement that a choice is about."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from adk_probe.errors import EvidenceError
from adk_probe.evidence.judge import Judgement
from adk_probe.model import Target
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice


def narrowed(judgement: Judgement, targets: Iterable[Target]) -> Judgement:
    """Return a judgement of only some targets."""
    kept = set(targets)
    return msgspec.structs.replace(
        judgement,
        targets=tuple(target for target in judgement.targets if target in kept),
        cells=tuple(cell for cell in judgement.cells if cell.target in kept),
        mechanisms=tuple(row for row in judgement.mechanisms if row.target in kept),
        drift=tuple(target for target in judgement.drift if target in kept),
        missing=tuple(target for target in judgement.missing if target in kept),
    )


def of_probes(project: Project, judgement: Judgement, probes: Iterable[str]) -> tuple[Project, Judgement]:
    """Return a project and a judgement that know only some probes, to show what a narrow run is about."""
    kept = set(probes)
    catalog = msgspec.structs.replace(
        project.catalog,
        probes={
            engine: {name: probe for name, probe in known.items() if name in kept}
            for engine, known in project.catalog.probes.items()
        },
    )
    config = msgspec.structs.replace(project.config, mechanisms={})
    cells = tuple(cell for cell in judgement.cells if cell.probe in kept)
    return (
        msgspec.structs.replace(project, catalog=catalog, config=config),
        msgspec.structs.replace(judgement, cells=cells, mechanisms=()),
    )


def filtered(project: Project, judgement: Judgement, choice: Choice) -> Judgement:
    """Return a judgement of the targets that a choice's engine, release, Python and lane leave.

    Raises:
        InputError: the release is none.
        EvidenceError: nothing is left.
    """
    pythons = project.config.pythons_in(choice.python) if choice.python else None
    releases: dict[str, set[str]] = {}
    if choice.release is not None:
        for engine in [choice.engine] if choice.engine else sorted({t.engine for t in judgement.targets}):
            releases[engine] = {each.version for each in project.releases.choose(engine, choice.release)}
    kept = [
        target
        for target in judgement.targets
        if choice.engine in (None, target.engine)
        and (pythons is None or target.python in pythons)
        and choice.lane in (None, target.lane)
        and (choice.release is None or target.release in releases[target.engine])
    ]
    if not kept:
        raise EvidenceError("there is no evidence of such a target", "Run it: `adk-probe run` takes the same options.")
    return narrowed(judgement, kept)
