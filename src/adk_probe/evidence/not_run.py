"""What is declared and was never run: it has no evidence, and the gate's lock does not know it; pure.

A new probe, graph, mechanism or engine is *not run yet*. That is no drift: what was seen and accepted before still
stands as it did. It is no proof either: whatever requires it is unproven.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from adk_probe.model import Target, TargetResult
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, fitting
from adk_probe.project.fidelity_cells import PREFIX, graphs_of

SHOWN = 5


class NotRun(msgspec.Struct, frozen=True):
    """Names of what was never run.

    Attributes:
        engines: those of which no target was ever run; their probes and mechanisms are not named again.
        probes: by engine, claims and fidelity cells.
        mechanisms: those of which no project was ever played.
    """

    engines: tuple[str, ...] = ()
    probes: dict[str, tuple[str, ...]] = {}
    mechanisms: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.engines or self.probes or self.mechanisms)

    def __str__(self) -> str:
        every = sorted({probe for probes in self.probes.values() for probe in probes})
        played = (probe for probe in every if probe.startswith(PREFIX) and probe.split("/")[2] not in self.mechanisms)
        parts = {
            "engine": self.engines,
            "mechanism": self.mechanisms,
            "scenarios of": sorted(graphs_of(played)),
            "probe": [probe for probe in every if not probe.startswith(PREFIX)],
        }
        return "; ".join(f"{kind} {_listed(names)}" for kind, names in parts.items() if names)


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = [f"and {len(every) - SHOWN} more"] if len(every) > SHOWN else []
    return ", ".join([*every[:SHOWN], *more])


class Known(msgspec.Struct, frozen=True):
    """What was run or accepted, wherever.

    Attributes:
        probes: by engine, those of which there is an observation or an accepted verdict; an engine is named as soon
            as there is a target of it.
        mechanisms: those of which the lock holds a verdict.
    """

    probes: dict[str, set[str]]
    mechanisms: set[str]


def known(
    results: Mapping[str, TargetResult],
    unreadable: Iterable[str],
    cells: Mapping[str, Iterable[str]],
    mechanisms: Mapping[str, Iterable[str]],
) -> Known:
    """Return what was run or accepted.

    Args:
        results: evidence by target key.
        unreadable: keys of targets whose evidence cannot be read.
        cells: by target key, the probes of which a verdict is accepted.
        mechanisms: by target key, the rows of mechanisms likewise.
    """
    probes: dict[str, set[str]] = {}
    for result in results.values():
        probes.setdefault(result.target.engine, set()).update(cell.probe for cell in result.cells)
    for key in (*unreadable, *cells):
        if (target := Target.parse(key)) is not None:
            probes.setdefault(target.engine, set()).update(cells.get(key, ()))
    return Known(probes, {row.partition("+")[0] for rows in mechanisms.values() for row in rows})


def find(config: Config, catalog: Catalog, before: Known) -> NotRun:
    """Return what was never run, beside what was."""
    engines = tuple(sorted(config.engines.keys() - before.probes.keys()))
    probes = {}
    for engine, every in sorted(catalog.probes.items()):
        # where all that is known of an engine is that its targets fail, that is what is known of each probe
        seen = before.probes.get(engine)
        if seen and (new := tuple(sorted(every.keys() - seen))):
            probes[engine] = new
    mechanisms = tuple(
        name
        for name, row in config.mechanisms.items()
        if row.engine not in engines and name not in before.mechanisms and _unplayed(name, config, catalog, probes)
    )
    return NotRun(engines, probes, mechanisms)


def _unplayed(name: str, config: Config, catalog: Catalog, new: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether no project of a mechanism was played; of one that has none, whether a claim was never run."""
    row = config.mechanisms[name]
    unseen = set(new.get(row.engine, ()))
    if config.engines[row.engine].fidelity:
        return all(probe.id in unseen for probe in catalog.probes[row.engine].values() if probe.mechanism == name)
    return not unseen.isdisjoint(fitting(sorted(catalog.probes[row.engine]), row.requires))


def without(config: Config, catalog: Catalog, new: NotRun) -> tuple[Config, Catalog]:
    """Return what is declared, without what was never run."""
    kept = msgspec.structs.replace(
        config,
        engines={name: engine for name, engine in config.engines.items() if name not in new.engines},
        mechanisms={
            name: row
            for name, row in config.mechanisms.items()
            if name not in new.mechanisms and row.engine not in new.engines
        },
    )
    probes = {
        engine: {name: probe for name, probe in every.items() if name not in new.probes.get(engine, ())}
        for engine, every in catalog.probes.items()
        if engine not in new.engines
    }
    return kept, msgspec.structs.replace(catalog, probes=probes)
