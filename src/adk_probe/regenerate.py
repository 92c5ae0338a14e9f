"""Make ``generated/`` anew: every graph's project by every mechanism that can express it, and the jobs of fidelity.

The folder belongs to this module alone; what stands in it and is not generated is removed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.codegen import check as drift_of
from adk_probe.codegen import emit, mechanisms
from adk_probe.codegen import write as write_project
from adk_probe.codegen.fidelity import RANDOM, fidelity_job, random_job
from adk_probe.errors import InfrastructureError, InputError
from adk_probe.fidelity import FOLDER, SCENARIOS
from adk_probe.files import holds, read_file, reason, write_together
from adk_probe.generating import SUFFIX, Source, valid_ir
from adk_probe.graph.ir import Graph
from adk_probe.graph.scenario import ScenarioFile, read_scenario_file
from adk_probe.graph.world import World, load_world
from adk_probe.matrix import Matrix

GRAPHS = "probes/graphs"
PYTHONS = ">=3.10"
NAME = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
"""Of a scenario, since it becomes that of a file and the end of a cell's id."""


class Made(msgspec.Struct, frozen=True):
    """All that ``generated/`` holds, by path from the project's folder.

    Attributes:
        projects: the folder of each project, with its files.
        jobs: the scenario files.
    """

    projects: dict[str, dict[str, str]]
    jobs: dict[str, bytes]


def make(root: Path, matrix: Matrix) -> Made:
    """Generate everything, in memory.

    Raises:
        InputError: a graph or a scenario of ``probes/graphs`` is wrong.
    """
    projects: dict[str, dict[str, str]] = {}
    jobs: dict[str, bytes] = {}
    for path in sorted((root / GRAPHS).glob(f"*{SUFFIX}")):
        source = valid_ir(path)
        stem = path.name.removesuffix(SUFFIX)
        for name, way in mechanisms().items():
            declared = matrix.mechanisms.get(name)
            wanted = declared is not None and stem in (declared.graphs or (stem,))
            if declared is not None and wanted and not way.cannot_express(source.graph, None):
                files = emit(source.graph, source.digest, source.name, name, declared.releases, PYTHONS)
                projects[f"{FOLDER}/{stem}/{name}/{source.graph.name}"] = files
        jobs |= _jobs(root, stem, source)
    return Made(projects, jobs)


def _jobs(root: Path, stem: str, source: Source) -> dict[str, bytes]:
    path = root / GRAPHS / f"{stem}.scenarios.json"
    if not os.path.lexists(path):
        raise InputError(f"{GRAPHS}/{stem}{SUFFIX}: it has no {path.name}", "A graph here is there to be run.")
    try:
        file = read_scenario_file(read_file(path), path.name, source.graph)
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read: {reason(error)}") from None
    made = {}
    world = None
    if file.world is not None:
        world = _world(path, file.world)
        # beside the jobs, where the runner finds it in a target
        made[f"{FOLDER}/{stem}/{SCENARIOS}/{world.name}.py"] = world.source.encode()
    for name, job in _played(path.name, file, source.graph, world):
        # unsorted: the order of an answer's keys is the order in which a model writes them
        text = msgspec.json.format(msgspec.json.encode(job), indent=1) + b"\n"
        made[f"{FOLDER}/{stem}/{SCENARIOS}/{name}.json"] = text
    return made


def _world(path: Path, name: str) -> World:
    try:
        return load_world(path.parent, name)
    except InputError as error:
        raise InputError(f"{path.name}: {error.message}", error.hint) from None


def _played(name: str, file: ScenarioFile, graph: Graph, world: World | None) -> list[tuple[str, dict[str, Any]]]:
    """Return the job of every scenario by its name; raises InputError with all that the reference finds wrong."""
    jobs, faults = [], []
    for scenario in file.scenarios:
        try:
            if not NAME.fullmatch(scenario.name):
                raise InputError(f"{scenario.name!a} is to be letters and digits, with single dashes between")
            jobs.append((scenario.name, fidelity_job(graph, "", scenario, world)))
        except InputError as error:
            about = scenario.name if scenario.name not in error.message else ""
            faults.append(": ".join(part for part in (about, error.message, error.hint) if part))
    if faults:
        raise InputError(f"{name}: {len(faults)} scenario(s) cannot be played", "", tuple(faults))
    if file.random is not None and world is not None:
        setups = list({json.dumps(scenario.world): scenario.world for scenario in file.scenarios}.values())
        jobs.append((RANDOM, random_job(graph, "", file.random, world, setups)))
    return jobs


def drifted(root: Path, made: Made) -> list[str]:
    """Return every path that is other than what is generated."""
    found = []
    for folder, files in made.projects.items():
        found += [f"{folder}/{path}" for path in drift_of(root / folder, files).paths]
    for name, data in made.jobs.items():
        if not holds(root / name, data):
            found.append(name)
    return sorted([*found, *(path.relative_to(root).as_posix() for path in _strangers(root, made))])


def write(root: Path, made: Made) -> list[str]:
    """Make ``generated/`` hold what is generated and nothing else; return what was changed.

    Raises:
        InfrastructureError: a file cannot be written or removed; it is named.
    """
    changed = drifted(root, made)
    for path in _strangers(root, made):
        try:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except OSError as error:
            raise InfrastructureError(f"{path.relative_to(root)}: cannot be removed: {reason(error)}") from None
    for folder, files in made.projects.items():
        write_project(root / folder, files)
    write_together({root / name: data for name, data in made.jobs.items()}, {root / name: name for name in made.jobs})
    return changed


def _strangers(root: Path, made: Made) -> list[Path]:
    """Return what is in ``generated/`` outside of every project and is no job; whole folders where none of it is."""
    kept = {root / name for name in (*made.projects, *made.jobs)}
    above = {parent for path in kept for parent in path.parents}
    found: list[Path] = []

    def look(folder: Path) -> None:
        for path in sorted(folder.iterdir()):
            if path in above and path.is_dir():
                look(path)
            elif path not in kept and path.name != "__pycache__":  # of worlds that were imported there
                found.append(path)

    if (root / FOLDER).is_dir():
        look(root / FOLDER)
    return found
