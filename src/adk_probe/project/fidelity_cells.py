"""The fidelity cells: every generated project × every scenario of its graph, as ``generated.lock.json`` has them.

Nothing is generated or built here, so that a run which changes nothing costs no more than reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.files import digest
from adk_probe.model import Probe
from adk_probe.project import generated
from adk_probe.project.config import Config, Engine
from adk_probe.project.generated import LOCK, GraphLock

PREFIX = "fidelity/"
SECONDS = 60.0
RANDOM = "random-models"
"""Name of the scenario in which random models have the graph's tools."""


def cells(root: Path, config: Config, name: str, engine: Engine) -> Iterator[Probe]:
    """Yield the fidelity cells of an engine, in order; none where it has no runner.

    A cell whose project or job would come out otherwise today has one input more, so that no evidence of it is fresh.

    Raises:
        InputError: the lock cannot be read.
    """
    if not engine.fidelity or not (root / engine.fidelity).is_file():
        return
    lock = generated.load(root)
    outdated = generated.outdated(root, config, lock)
    for stem, graph in sorted(lock.graphs.items()):
        world = {"world": digest(graph.worlds)} if graph.worlds else {}
        for mechanism, project in sorted(graph.projects.items()):
            row = config.mechanisms.get(mechanism)
            if row is None or row.engine != name:
                continue
            inputs = {"project": project, **world}
            inputs |= {LOCK: "out of date"} if (stem, mechanism) in outdated else {}
            for scenario, job in sorted(graph.jobs.items()):
                yield _cell(name, engine, stem, graph, mechanism, scenario, row.needs, {**inputs, "scenario": job})


def _cell(
    name: str,
    engine: Engine,
    stem: str,
    graph: GraphLock,
    mechanism: str,
    scenario: str,
    needs: tuple[str, ...],
    inputs: dict[str, str],
) -> Probe:
    identity = f"{PREFIX}{stem}/{mechanism}/{scenario}"
    project, job = generated.project_path(stem, mechanism, graph.name), generated.job_path(stem, scenario)
    told = ("--id", identity, "--project", f"{{generated}}/{project}", "--job", f"{{generated}}/{job}")
    return Probe(
        id=identity,
        claim=f"the project of {stem} by {mechanism} does in {scenario} what the reference semantics say",
        engine=name,
        file=engine.fidelity,
        needs=needs,
        timeout=SECONDS,
        arguments=(*told, *(part for need in needs for part in ("--needs", need))),
        inputs=inputs,
        mechanism=mechanism,
        graph=stem,
        features=graph.features,
        family=engine.fidelity,
    )


def with_examples(probe: Probe, examples: int | None) -> Probe:
    """Return a cell in which no more random models play than that; every other probe, and None, as it is."""
    if examples is None or not (probe.mechanism and probe.id.endswith(f"/{RANDOM}")):
        return probe
    return msgspec.structs.replace(probe, arguments=(*probe.arguments, "--examples", str(examples)), examples=examples)


def too_few(probe: Probe, facts: Mapping[str, Any]) -> bool:
    """Whether fewer random models played in a cell than are asked for now."""
    played, every = facts.get("examples"), facts.get("of")
    if not isinstance(played, int) or not isinstance(every, int):
        return False
    return played < (every if probe.examples is None else min(every, probe.examples))


def graphs_of(probes: Iterable[str]) -> set[str]:
    """Return the graphs whose projects the fidelity cells among these probes run."""
    return {probe.split("/")[1] for probe in probes if probe.startswith(PREFIX)}
