"""The fidelity cells: every generated project × every scenario of its graph, as ``generated.lock.json`` has them.

Nothing is generated or built here, so that a run which changes nothing costs no more than reading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from adk_probe import generated
from adk_probe.files import digest, digest_of
from adk_probe.generated import LOCK, GraphLock
from adk_probe.matrix import Engine, Matrix
from adk_probe.model import Probe

COMMON = "probes/fidelity"
"""What the runners of all engines share; so it belongs to the inputs of their cells."""

PREFIX = "fidelity/"
SECONDS = 60.0


def cells(root: Path, matrix: Matrix, name: str, engine: Engine, faults: list[str]) -> Iterator[Probe]:
    """Yield the fidelity cells of an engine, in order; none where it has no runner.

    A cell whose project or job would come out otherwise today has one input more, so that no evidence of it is fresh.

    Args:
        faults: is told of each file that cannot be read.

    Raises:
        InputError: the lock cannot be read.
    """
    if not engine.fidelity or not (root / engine.fidelity).is_file():
        return
    folders = {(root / engine.fidelity).parent, root / COMMON}
    total = _Sum(root, faults)
    runner = total(sorted(path for folder in folders for path in folder.glob("*.py")), root)
    lock = generated.load(root)
    outdated = generated.outdated(root, matrix, lock)
    for stem, graph in sorted(lock.graphs.items()):
        world = {"world": digest(graph.worlds)} if graph.worlds else {}
        for mechanism, project in sorted(graph.projects.items()):
            row = matrix.mechanisms.get(mechanism)
            if row is None or row.engine != name:
                continue
            inputs = {"runner": runner, "project": project, **world}
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
    )


def graphs_of(probes: Iterable[str]) -> set[str]:
    """Return the graphs whose projects the fidelity cells among these probes run."""
    return {probe.split("/")[1] for probe in probes if probe.startswith(PREFIX)}


class _Sum:
    """Digests of a project's files; those that cannot be read are named in ``faults``."""

    def __init__(self, root: Path, faults: list[str]) -> None:
        self.root = root
        self.faults = faults

    def one(self, path: Path) -> str:
        return digest_of(path, path.relative_to(self.root).as_posix(), self.faults)

    def __call__(self, paths: Iterable[Path], base: Path) -> str:
        total = hashlib.sha256()
        for path in paths:
            content = self.one(path)
            total.update(f"{path.relative_to(base).as_posix()}\0{content}\n".encode("utf-8", "surrogateescape"))
        return total.hexdigest()
