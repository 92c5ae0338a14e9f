"""The fidelity cells, read off ``generated/``: every project there × every scenario of its graph.

``generated/GRAPH/MECHANISM/NAME`` is the project of a graph by a mechanism, ``generated/GRAPH/scenarios/*.json`` are
what models, people and the clock do and what must then be seen. Nothing is generated here, so that a run which changes
nothing costs no more than reading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from adk_probe.files import digest_of
from adk_probe.matrix import Engine, Matrix
from adk_probe.model import Probe

FOLDER = "generated"
SCENARIOS = "scenarios"
COMMON = "probes/fidelity"
"""What the runners of all engines share; so it belongs to the inputs of their cells."""

PREFIX = "fidelity/"
SECONDS = 60.0


def cells(root: Path, matrix: Matrix, name: str, engine: Engine, faults: list[str]) -> Iterator[Probe]:
    """Yield the fidelity cells of an engine, in order; none where it has no runner.

    Args:
        faults: is told of each file that cannot be read.
    """
    if not engine.fidelity or not (root / engine.fidelity).is_file():
        return
    folders = {(root / engine.fidelity).parent, root / COMMON}
    total = _Sum(root, faults)
    runner = total(sorted(path for folder in folders for path in folder.glob("*.py")), root)
    for graph in _folders(root / FOLDER):
        scenarios = {path.stem: total.one(path) for path in sorted((graph / SCENARIOS).glob("*.json"))}
        worlds = sorted((graph / SCENARIOS).glob("*.py"))
        world = {"world": total(worlds, graph)} if worlds else {}
        for mechanism, declared in sorted(matrix.mechanisms.items()):
            if declared.engine != name:
                continue
            for project in _folders(graph / mechanism):
                inputs = {"runner": runner, "project": total(_sources(project), project)}
                for scenario, content in scenarios.items():
                    yield _cell(
                        root, name, engine, project, scenario, declared.needs, {**inputs, **world, "scenario": content}
                    )


def _cell(
    root: Path,
    name: str,
    engine: Engine,
    project: Path,
    scenario: str,
    needs: tuple[str, ...],
    inputs: dict[str, str],
) -> Probe:
    graph, mechanism = project.parent.parent.name, project.parent.name
    identity = f"{PREFIX}{graph}/{mechanism}/{scenario}"
    job = f"{FOLDER}/{graph}/{SCENARIOS}/{scenario}.json"
    place = project.relative_to(root).as_posix()
    told = ("--id", identity, "--project", f"{{root}}/{place}", "--job", f"{{root}}/{job}")
    return Probe(
        id=identity,
        claim=f"the project of {graph} by {mechanism} does in {scenario} what the reference semantics say",
        engine=name,
        file=engine.fidelity,
        needs=needs,
        timeout=SECONDS,
        arguments=(*told, *(part for need in needs for part in ("--needs", need))),
        inputs=inputs,
        mechanism=mechanism,
        graph=graph,
    )


def _folders(place: Path) -> list[Path]:
    if not place.is_dir():
        return []
    return sorted(path for path in place.iterdir() if path.is_dir() and path.name not in (SCENARIOS, "__pycache__"))


def _sources(project: Path) -> list[Path]:
    """Return the files that make a project what it is; what it does by itself with Python leaves bytecode."""
    found = (path for path in project.rglob("*") if "__pycache__" not in path.parts)
    # an editor's lock is a link that leads nowhere; all else that is no folder is read, or named as a fault
    return sorted(path for path in found if path.exists() and not path.is_dir())


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
