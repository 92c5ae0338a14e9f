"""Every graph of ``probes/graphs`` → its projects and jobs, kept where they are built, below ``.adk-probe``.

What is built is kept with a key: the digest of the code, of the graph and of the tools that lay files out. While that
stays the same nothing is generated again, except for what was changed by other means.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.codegen import Spec, emit_all, mechanisms
from adk_probe.errors import InfrastructureError, InputError
from adk_probe.files import CHECK, RETRY, digest, read_file, reason, to_json
from adk_probe.generate.jobs import RANDOM, fidelity_job, random_job
from adk_probe.generate.source import Source, valid_ir
from adk_probe.graph.features import features_of
from adk_probe.graph.ir import Graph
from adk_probe.graph.reading.scenario import ScenarioFile, read_scenario_file
from adk_probe.graph.reference.world import World, load_world
from adk_probe.project import generated
from adk_probe.project.config import Config
from adk_probe.project.generated import GRAPHS, SCENARIO_SUFFIX, SCENARIOS, SUFFIX, GraphLock

PYTHONS = ">=3.10"
STAMP = "built.json"
NAME = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
"""Of a scenario, since it becomes that of a file and the end of a cell's id."""


class Made(msgspec.Struct, frozen=True):
    """What is made of one graph.

    Attributes:
        name: the graph's own name.
        source: see ``GraphLock``.
        projects: by mechanism, the text of each file by its path.
        jobs: by scenario.
        worlds: by file name.
        features: see ``GraphLock``.
    """

    name: str
    source: str
    projects: dict[str, dict[str, str]]
    jobs: dict[str, bytes]
    worlds: dict[str, bytes]
    features: tuple[str, ...]

    @property
    def lock(self) -> GraphLock:
        """Its entry in the lock."""
        return GraphLock(
            source=self.source,
            name=self.name,
            projects={name: generated.digest_of(_bytes(files)) for name, files in self.projects.items()},
            jobs={name: digest(data) for name, data in self.jobs.items()},
            worlds={name: digest(data) for name, data in self.worlds.items()},
            features=self.features,
        )

    def files(self, stem: str) -> dict[str, bytes]:
        """Return all files by their paths in the folder that holds every graph's."""
        found = {f"{stem}/{SCENARIOS}/{name}": data for name, data in self.worlds.items()}
        found |= {generated.job_path(stem, name): data for name, data in self.jobs.items()}
        for mechanism, files in self.projects.items():
            folder = generated.project_path(stem, mechanism, self.name)
            found |= {f"{folder}/{path}": data for path, data in _bytes(files).items()}
        return found


class _Stamp(msgspec.Struct, frozen=True):
    key: str
    lock: GraphLock


def make(root: Path, config: Config, *, cached: bool = True, keep: bool = False) -> dict[str, Made]:
    """Return what is made of every graph, by the graph file's stem.

    Args:
        root: the project's folder.
        config: what is declared in it.
        cached: take what is built already, where it is current.
        keep: build what is not.

    Raises:
        InputError: a graph or a scenario of ``probes/graphs`` is wrong.
        InfrastructureError: it cannot be built.
    """
    return _make(root, config, generated.stems(root), cached, keep)


def ready(root: Path, config: Config, stems: Iterable[str]) -> None:
    """Let what fidelity cells of these graphs run be built, as the lock has it.

    Raises:
        InputError: the lock is not what is generated today, so that nobody could say what was run.
        InfrastructureError: it cannot be built.
    """
    wanted = sorted(stems)
    if not wanted:
        return
    lock = generated.load(root)
    stale = {stem for stem, _ in generated.outdated(root, config, lock)}
    if other := stale.intersection(wanted) | set(wanted) - lock.graphs.keys():
        raise generated.wrong(other)
    made = _make(root, config, wanted, cached=True, keep=True)
    if other := {stem for stem in wanted if made[stem].lock != lock.graphs[stem]}:
        raise generated.wrong(other)


def _make(root: Path, config: Config, stems: list[str], cached: bool, keep: bool) -> dict[str, Made]:
    folder = generated.built(root)
    keys = {stem: _key(root, config, stem) for stem in stems}
    made = {stem: found for stem in stems if cached and (found := _read(folder, stem, keys[stem])) is not None}
    for stem, fresh in _generate(root, config, [stem for stem in stems if stem not in made]).items():
        made[stem] = fresh
        if keep:
            _build(folder, stem, keys[stem], fresh)
    return {stem: made[stem] for stem in stems}


def _key(root: Path, config: Config, stem: str) -> str:
    """Return the digest of all that decides what is made of a graph."""
    rows = {name: generated.declared(row) for name, row in config.mechanisms.items() if name in mechanisms()}
    tools = [platform.python_version(), version("jinja2"), version("msgspec")]
    return digest([generated.generator(), generated.source(root, stem), tools, msgspec.to_builtins(rows)])


# ------------------------------------------------------------------ what is built


def _read(folder: Path, stem: str, key: str) -> Made | None:
    """Return what is built of a graph; None unless it is current and as it was built."""
    try:
        stamp = msgspec.json.decode((folder / stem / STAMP).read_bytes(), type=_Stamp)
        if stamp.key != key:
            return None
        lock, place = stamp.lock, folder / stem / SCENARIOS
        made = Made(
            name=lock.name,
            source=lock.source,
            projects={name: _project(folder / generated.project_path(stem, name, lock.name)) for name in lock.projects},
            jobs={name: (folder / generated.job_path(stem, name)).read_bytes() for name in lock.jobs},
            worlds={name: (place / name).read_bytes() for name in lock.worlds},
            features=lock.features,
        )
    except (OSError, ValueError):  # msgspec's and Unicode's are ValueErrors
        return None
    return made if made.lock == lock else None


def _project(folder: Path) -> dict[str, str]:
    """Return the files of a project; what it does by itself with Python leaves bytecode."""
    found = (path for path in folder.rglob("*") if "__pycache__" not in path.parts and path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in sorted(found)}


def _build(folder: Path, stem: str, key: str, made: Made) -> None:
    """Write what is made of a graph in the place of what was, completely or not at all."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{stem}.", dir=folder, ignore_cleanup_errors=True) as name:
            new = Path(name)
            for path, data in made.files(stem).items():
                (new / path).parent.mkdir(parents=True, exist_ok=True)
                (new / path).write_bytes(data)
            (new / stem / STAMP).write_bytes(to_json(_Stamp(key, made.lock)))
            with contextlib.suppress(FileNotFoundError):
                (folder / stem).rename(new / "old")
            (new / stem).rename(folder / stem)
    except OSError as error:
        raise InfrastructureError(f"{folder.name}/{stem}: cannot be built: {error.strerror or error}", RETRY) from None


def forget(root: Path, stems: Iterable[str]) -> None:
    """Remove what is built of graphs that are not among these."""
    folder, kept = generated.built(root), set(stems)
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


# ------------------------------------------------------------------ what is generated


def _generate(root: Path, config: Config, stems: list[str]) -> dict[str, Made]:
    """Generate projects and jobs, all projects at once: see ``format_projects``."""
    sources = {stem: valid_ir(root / GRAPHS / f"{stem}{SUFFIX}") for stem in stems}
    specs: dict[tuple[str, str], Spec] = {}
    for stem, source in sources.items():
        for name, way in mechanisms().items():
            row = config.mechanisms.get(name)
            wanted = row is not None and stem in (row.graphs or (stem,))
            if row is not None and wanted and not way.cannot_express(source.graph, None):
                specs[stem, name] = Spec(source.graph, source.digest, source.name, name, row.releases, PYTHONS)
    files = dict(zip(specs, emit_all(specs.values()), strict=True))
    made = {}
    for stem, source in sources.items():
        projects = {name: each for (graph, name), each in files.items() if graph == stem}
        jobs, worlds = _jobs(root, stem, source)
        origin, features = generated.source(root, stem), features_of(source.graph)
        made[stem] = Made(source.graph.name, origin, projects, jobs, worlds, features)
    return made


def _jobs(root: Path, stem: str, source: Source) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the jobs of a graph by scenario, and the modules that they need beside them."""
    path = root / GRAPHS / f"{stem}{SCENARIO_SUFFIX}"
    if not os.path.lexists(path):
        raise InputError(f"{GRAPHS}/{stem}{SUFFIX}: it has no {path.name}", "A graph here is there to be run.")
    try:
        file = read_scenario_file(read_file(path), path.name, source.graph)
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read: {reason(error)}", CHECK) from None
    world = _world(path, file.world) if file.world is not None else None
    worlds = {f"{world.name}.py": world.source.encode()} if world is not None else {}
    return {name: _job(job) for name, job in _played(path.name, file, source.graph, world)}, worlds


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
                raise InputError(
                    f"{scenario.name!a} must be letters and digits, with single dashes between", "Rename it."
                )
            jobs.append((scenario.name, fidelity_job(graph, "", scenario, world)))
        except InputError as error:
            about = scenario.name if scenario.name not in error.message else ""
            faults.append(": ".join(part for part in (about, error.message, error.hint) if part))
    if faults:
        raise InputError(f"{name}: {len(faults)} scenario(s) cannot be played", "Correct each of them.", tuple(faults))
    if file.random is not None and world is not None:
        setups = list({json.dumps(scenario.world): scenario.world for scenario in file.scenarios}.values())
        jobs.append((RANDOM, random_job(graph, "", file.random, world, setups)))
    return jobs


def _job(job: dict[str, Any]) -> bytes:
    # unsorted: the order of an answer's keys is the order in which a model writes them
    return msgspec.json.format(msgspec.json.encode(job), indent=1) + b"\n"


def _bytes(files: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}
