"""``generated/generated.lock.json``: every generated project and job by its digest, and what they were made from.

The lock is what is committed of them, beside a golden project a mechanism; the files themselves are built on each
machine, below ``.adk-probe``. What a fidelity cell depends on is read from the lock, which builds nothing. Whether the
lock still tells the truth is seen from the sources that it was made from.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from adk_probe.errors import InputError
from adk_probe.files import digest, files_in, read_file, reason
from adk_probe.machine.state import Local
from adk_probe.project.config import Config
from adk_probe.project.config import Mechanism as Row

FOLDER = "generated"
LOCK = f"{FOLDER}/generated.lock.json"
SCENARIOS = "scenarios"
GRAPHS = "probes/graphs"
SUFFIX = ".ir.json"
SCENARIO_SUFFIX = ".scenarios.json"

SCHEMA = "adk-probe.generated-lock/1"
REMEDY = "`adk-probe codegen` writes it again; look at what changes, and commit it."

_HERE = Path(__file__).parents[1]
_GENERATOR = ("generate/building.py", "generate/jobs.py", "codegen", "graph")
"""What makes projects and jobs, a module or a package each."""


class GraphLock(msgspec.Struct, frozen=True):
    """What is generated of one graph.

    Attributes:
        source: digest of its IR, its scenarios and their world.
        name: the graph's own name, which the folders of its projects have.
        projects: by mechanism, the digest of the project's files.
        jobs: by scenario, the digest of its job.
        worlds: by file name, the digest of a module that jobs need beside them.
        features: what the graph asks of a mechanism beside a loop.
    """

    source: str
    name: str
    projects: dict[str, str]
    jobs: dict[str, str]
    worlds: dict[str, str] = {}
    features: tuple[str, ...] = ()


class Declared(msgspec.Struct, frozen=True):
    """What of a mechanism's table in ``matrix.toml`` decides what is generated; see ``matrix.Mechanism``."""

    releases: str
    graphs: tuple[str, ...]


class Lock(msgspec.Struct, frozen=True):
    """The file; ``generator`` is the digest of the code, ``mechanisms`` what was declared, ``graphs`` are by stem."""

    schema: str
    generator: str
    mechanisms: dict[str, Declared]
    graphs: dict[str, GraphLock]


def load(root: Path) -> Lock:
    """Read the lock.

    Raises:
        InputError: it is missing, or no such lock.
    """
    try:
        lock = msgspec.json.decode(read_file(root / LOCK), type=Lock)
    except FileNotFoundError:
        raise InputError(f"{LOCK}: it is missing", REMEDY) from None
    except OSError as error:
        raise InputError(f"{LOCK}: cannot be read: {reason(error)}", REMEDY) from None
    except msgspec.DecodeError as error:
        raise InputError(f"{LOCK}: {error}", REMEDY) from None
    if lock.schema != SCHEMA:
        raise InputError(f"{LOCK}: schema: {lock.schema!r}, expected {SCHEMA!r}", REMEDY)
    return lock


def outdated(root: Path, config: Config, lock: Lock) -> frozenset[tuple[str, str]]:
    """Return the projects, as graph and mechanism, of which the lock may be wrong: what they are made from changed."""
    everything = lock.generator != generator()
    found = set()
    for stem, graph in lock.graphs.items():
        changed = everything or graph.source != source(root, stem)
        for mechanism in graph.projects:
            row = config.mechanisms.get(mechanism)
            if changed or row is None or lock.mechanisms.get(mechanism) != declared(row):
                found.add((stem, mechanism))
    return frozenset(found)


def stems(root: Path) -> list[str]:
    """Return the names of the graph files, without their suffix, in order.

    Raises:
        InputError: their folder cannot be listed.
    """
    try:
        paths = files_in(root / GRAPHS, f"*{SUFFIX}")
    except OSError as error:
        hint = "Make it a folder that you may read, or remove it."
        raise InputError(f"{GRAPHS}: cannot be read: {reason(error)}", hint) from None
    return sorted(path.name.removesuffix(SUFFIX) for path in paths)


def source(root: Path, stem: str) -> str:
    """Return the digest of all that is written about a graph; what is missing is no part of it."""
    folder = root / GRAPHS
    paths = [folder / f"{stem}{SUFFIX}", folder / f"{stem}{SCENARIO_SUFFIX}"]
    try:
        world = json.loads(read_file(paths[1])).get("world")
    except (OSError, ValueError, AttributeError):
        world = None  # generating reports what is wrong with it
    paths += [folder / f"{world}.py"] if isinstance(world, str) else []
    return digest({path.name: _sum(path) for path in paths if path.is_file()})


def _sum(path: Path) -> str:
    try:
        return digest(read_file(path))
    except OSError:
        return ""  # generating reports what is wrong with it


def declared(row: Row) -> Declared:
    """Return what of a mechanism's table decides what is generated."""
    return Declared(row.releases, row.graphs)


@functools.lru_cache(maxsize=1)
def generator() -> str:
    """Return the digest of all code that makes projects and jobs, ruff among it, which lays them out."""
    files = {path.relative_to(_HERE).as_posix(): digest(path.read_bytes()) for path in _code()}
    return digest({**files, "ruff": importlib.metadata.version("ruff")})


def _code() -> Iterator[Path]:
    for name in _GENERATOR:
        for path in sorted((_HERE / name).rglob("*")) if (_HERE / name).is_dir() else [_HERE / name]:
            if path.suffix in (".py", ".j2"):
                yield path


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the digest of a project: of its files' paths and bytes."""
    return digest({path: digest(data) for path, data in files.items()})


def built(root: Path) -> Path:
    """Return the folder below which this machine has its projects and jobs, laid out as ``project_path`` says."""
    return Local(root).folder / FOLDER


def project_path(stem: str, mechanism: str, name: str) -> str:
    """Return where a project is, in ``generated/`` and where it is built."""
    return f"{stem}/{mechanism}/{name}"


def job_path(stem: str, scenario: str) -> str:
    """Return where a job is, where it is built."""
    return f"{stem}/{SCENARIOS}/{scenario}.json"


def wrong(stems: Iterable[str]) -> InputError:
    """Return the error that the lock is not what would be generated of these graphs."""
    return InputError(f"{LOCK}: it is not what is generated from {', '.join(sorted(stems))}", REMEDY)
