"""What each mechanism must have proven, alone and with each feature: claims and scenarios; pure."""

from __future__ import annotations

import msgspec

from adk_probe.model import Probe
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, Mechanism, fitting


class Requirement(msgspec.Struct, frozen=True):
    """What must hold before a mechanism may be used, alone or for what has one feature.

    Attributes:
        feature: empty for the mechanism alone.
        claims: ids of the probes that must pass.
        scenarios: ids of the fidelity cells that must pass wherever they apply: those of graphs without features, and
            with a feature also those of the graphs that have it.
        deciding: those of ``scenarios`` of which one at least must apply, or nothing is proven.
        played: whether it has scenarios or its engine could play some; else it stands on claims alone.
    """

    mechanism: str
    feature: str
    engine: str
    sentence: str
    claims: tuple[str, ...]
    scenarios: tuple[str, ...]
    deciding: tuple[str, ...]
    played: bool

    @property
    def name(self) -> str:
        """How the row is called: the mechanism, or ``mechanism+feature``."""
        return row_name(self.mechanism, self.feature)

    @property
    def probes(self) -> tuple[str, ...]:
        """All that it hangs on."""
        return (*self.claims, *self.scenarios)


def row_name(mechanism: str, feature: str) -> str:
    """Return the name of a mechanism's row for a feature; of only the mechanism where the feature is empty."""
    return f"{mechanism}+{feature}" if feature else mechanism


def requirements(config: Config, catalog: Catalog) -> tuple[Requirement, ...]:
    """Return the rows of all mechanisms in order of preference, after them those with a feature.

    A mechanism has a row for a feature if it declares claims for it or has a scenario of a graph with it; where there
    is no such row, nothing is known, and nothing may be generated.
    """
    alone = [_requirement(name, mechanism, "", config, catalog) for name, mechanism in config.mechanisms.items()]
    featured = [
        _requirement(name, mechanism, feature, config, catalog)
        for feature in config.features
        for name, mechanism in config.mechanisms.items()
        if feature in mechanism.requires_for or any(feature in cell.features for cell in _scenarios(name, catalog))
    ]
    return (*alone, *featured)


def _requirement(name: str, mechanism: Mechanism, feature: str, config: Config, catalog: Catalog) -> Requirement:
    declared = config.features.get(feature)
    claims = [*mechanism.requires, *mechanism.requires_for.get(feature, ())]
    claims += declared.requires.get(mechanism.engine, ()) if declared else ()
    cells = _scenarios(name, catalog)
    own = tuple(cell.id for cell in cells if not cell.features)
    more = tuple(cell.id for cell in cells if feature and feature in cell.features)
    return Requirement(
        mechanism=name,
        feature=feature,
        engine=mechanism.engine,
        sentence=f"{mechanism.sentence}; {declared.sentence}" if declared else mechanism.sentence,
        claims=fitting(sorted(catalog.probes.get(mechanism.engine, {})), claims),
        scenarios=own + more,
        deciding=more if declared and declared.of == "graph" else own,
        played=bool(cells) or bool(config.engines[mechanism.engine].fidelity),
    )


def _scenarios(mechanism: str, catalog: Catalog) -> list[Probe]:
    return [
        probe
        for probes in catalog.probes.values()
        for _, probe in sorted(probes.items())
        if probe.mechanism == mechanism
    ]
