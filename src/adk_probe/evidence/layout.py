"""How a target's evidence stands in its file: each value stands once and is referenced elsewhere; pure.

What all observations depend on stands at the top, what the cells of a graph share stands at the graph, and an
observation names only what differs. Fidelity cells with the same observation share one entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from adk_probe.model import (
    RESULT_SCHEMA,
    CapturedWarning,
    Environment,
    Fault,
    Kind,
    Observation,
    Outcome,
    Target,
    TargetResult,
)

PREFIX = "fidelity/"
# inputs that hold for a whole target; of the others, those of a fidelity cell hold for its graph, or as PLACES says
SHARED = ("kit", "pins", "platform", "python", "worker")
PLACES = {"project": "projects", "scenario": "scenarios"}
REST = "*"

Inputs = dict[str, str]


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a cell showed.

    Attributes:
        warnings: places in the document's table of warnings.
        inputs: those that are not said above it; an empty text where one that is said above it was not there.
        cells: scenarios by mechanism, of a fidelity entry; ``*`` stands for all scenarios of the graph that no other
            entry names for that mechanism.
    """

    outcome: Outcome
    message: str = ""
    kind: Kind | None = None
    facts: dict[str, Any] = {}
    warnings: tuple[int, ...] = ()
    inputs: Inputs = {}
    cells: dict[str, tuple[str, ...]] = {}


class GraphEvidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fidelity cells of one graph.

    Attributes:
        inputs: what its cells share beside what all cells of the target do.
        projects: SHA-256 of each project, by mechanism; ``scenarios`` likewise.
    """

    inputs: Inputs = {}
    projects: Inputs = {}
    scenarios: Inputs = {}
    observations: tuple[Entry, ...] = ()


class ResultDocument(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file under ``reports/results``: the evidence of one target.

    Attributes:
        resolved: the day (UTC, ISO 8601) on which the index last gave these pins.
        inputs: the first digits of the SHA-256 of what every observation depends on, by name.
        warnings: each warning that was captured, once.
        controls: the two controls, by id; ``claims`` the probes likewise.
        fidelity: the fidelity cells, by graph.
        digest: SHA-256 of all of the document but itself.
    """

    schema: str
    target: Target
    resolved: str = ""
    environment: Environment | None = None
    fault: Fault | None = None
    inputs: Inputs = {}
    warnings: tuple[CapturedWarning, ...] = ()
    controls: dict[str, Entry] = {}
    claims: dict[str, Entry] = {}
    fidelity: dict[str, GraphEvidence] = {}
    digest: str = ""


def to_document(result: TargetResult) -> ResultDocument:
    """Return a target's evidence as it stands in its file; what varies from run to run is left out."""
    observations = (*result.controls, *result.cells)
    warnings = sorted({each for cell in observations for each in cell.warnings}, key=_warning_order)
    places = {each: place for place, each in enumerate(warnings)}
    shared = _most(cell.inputs for cell in observations)
    shared = {name: value for name, value in shared.items() if name in SHARED}
    claims = [cell for cell in result.cells if not _is_fidelity(cell.probe)]
    graphs: dict[str, list[Observation]] = {}
    for cell in result.cells:
        if _is_fidelity(cell.probe):
            graphs.setdefault(_parts(cell.probe)[0], []).append(cell)
    return ResultDocument(
        schema=RESULT_SCHEMA,
        target=result.target,
        resolved=result.resolved,
        environment=result.environment,
        fault=result.fault,
        inputs=shared,
        warnings=tuple(warnings),
        controls={cell.probe: _entry(cell, shared, places) for cell in result.controls},
        claims={cell.probe: _entry(cell, shared, places) for cell in claims},
        fidelity={graph: _graph(cells, shared, places) for graph, cells in sorted(graphs.items())},
        digest=result.digest,
    )


def from_document(document: ResultDocument) -> TargetResult:
    """Return the evidence in a document.

    Raises:
        ValueError: a warning is referenced that is not in its table.
    """
    claims = [_observation(name, entry, document.inputs, document) for name, entry in document.claims.items()]
    cells = [cell for graph, evidence in document.fidelity.items() for cell in _cells(graph, evidence, document)]
    return TargetResult(
        schema=document.schema,
        target=document.target,
        environment=document.environment,
        fault=document.fault,
        controls=tuple(
            _observation(name, entry, document.inputs, document) for name, entry in sorted(document.controls.items())
        ),
        cells=tuple(sorted((*claims, *cells), key=lambda cell: cell.probe)),
        resolved=document.resolved,
        digest=document.digest,
    )


def _is_fidelity(probe: str) -> bool:
    return probe.startswith(PREFIX) and probe.count("/") == 3


def _parts(probe: str) -> tuple[str, str, str]:
    graph, mechanism, scenario = probe.removeprefix(PREFIX).split("/")
    return graph, mechanism, scenario


def _warning_order(warning: CapturedWarning) -> tuple[str, str, str]:
    return warning.category, warning.origin, warning.message


def _most(inputs: Iterable[Inputs]) -> Inputs:
    """Return for each name the value that most have; of equally many the smallest."""
    counts: dict[str, Counter[str]] = {}
    for each in inputs:
        for name, value in each.items():
            counts.setdefault(name, Counter())[value] += 1
    return {name: min(found, key=lambda value: (-found[value], value)) for name, found in sorted(counts.items())}


def _rest(inputs: Inputs, above: Inputs) -> Inputs:
    """Return the inputs of an observation that differ from those given above it."""
    own = {name: value for name, value in inputs.items() if above.get(name) != value}
    return own | {name: "" for name in above if name not in inputs}


def _entry(cell: Observation, above: Inputs, places: dict[CapturedWarning, int]) -> Entry:
    warnings = tuple(places[each] for each in cell.warnings)
    return Entry(cell.outcome, cell.message, cell.kind, cell.facts, warnings, _rest(cell.inputs, above))


def _graph(cells: list[Observation], shared: Inputs, places: dict[CapturedWarning, int]) -> GraphEvidence:
    own = _most({name: value for name, value in cell.inputs.items() if name not in PLACES} for cell in cells)
    common = _rest(own, shared)
    projects = _by(cells, "project", 1)
    scenarios = _by(cells, "scenario", 2)
    entries: dict[bytes, tuple[Entry, dict[str, list[str]]]] = {}
    for cell in sorted(cells, key=lambda each: each.probe):
        _, mechanism, scenario = _parts(cell.probe)
        above = _above({**shared, **common}, projects.get(mechanism), scenarios.get(scenario))
        entry = _entry(cell, above, places)
        _, found = entries.setdefault(msgspec.json.encode(entry, order="deterministic"), (entry, {}))
        found.setdefault(mechanism, []).append(scenario)
    shown = _abridged([named for _, named in entries.values()], frozenset(scenarios))
    observations = tuple(
        msgspec.structs.replace(entry, cells=named) for (entry, _), named in zip(entries.values(), shown, strict=True)
    )
    return GraphEvidence(common, projects, scenarios, observations)


def _abridged(entries: list[dict[str, list[str]]], every: frozenset[str]) -> list[dict[str, tuple[str, ...]]]:
    """Return the cells of entries, the longest list of a mechanism that played every scenario as ``*``."""
    shown = [{mechanism: tuple(names) for mechanism, names in cells.items()} for cells in entries]
    for mechanism in {name for cells in entries for name in cells}:
        lists = [cells[mechanism] for cells in shown if mechanism in cells]
        longest = max(lists, key=len)
        if {name for names in lists for name in names} == every and len(longest) > 1:
            next(cells for cells in shown if cells.get(mechanism) == longest)[mechanism] = (REST,)
    return shown


def _by(cells: list[Observation], name: str, place: int) -> Inputs:
    """Return an input by mechanism or scenario, as most cells of each have it."""
    found: dict[str, list[Inputs]] = {}
    for cell in cells:
        if name in cell.inputs:
            found.setdefault(_parts(cell.probe)[place], []).append({name: cell.inputs[name]})
    return {key: _most(each)[name] for key, each in sorted(found.items())}


def _above(shared: Inputs, project: str | None, scenario: str | None) -> Inputs:
    more = {"project": project, "scenario": scenario}
    return {**shared, **{name: value for name, value in more.items() if value is not None}}


def _cells(graph: str, evidence: GraphEvidence, document: ResultDocument) -> Iterable[Observation]:
    named: dict[str, set[str]] = {}
    for entry in evidence.observations:
        for mechanism, names in entry.cells.items():
            named.setdefault(mechanism, set()).update(names)
    for entry in evidence.observations:
        for mechanism, names in entry.cells.items():
            rest = sorted(evidence.scenarios.keys() - named[mechanism])
            for scenario in rest if names == (REST,) else names:
                project, played = evidence.projects.get(mechanism), evidence.scenarios.get(scenario)
                above = _above({**document.inputs, **evidence.inputs}, project, played)
                yield _observation(f"{PREFIX}{graph}/{mechanism}/{scenario}", entry, above, document)


def _observation(probe: str, entry: Entry, above: Inputs, document: ResultDocument) -> Observation:
    inputs = {name: value for name, value in {**above, **entry.inputs}.items() if value}
    if any(not 0 <= place < len(document.warnings) for place in entry.warnings):
        raise ValueError(f"{probe} references a warning that is not there")
    warnings = tuple(document.warnings[place] for place in entry.warnings)
    return Observation(probe, entry.outcome, entry.message, entry.kind, entry.facts, warnings, inputs=inputs)
