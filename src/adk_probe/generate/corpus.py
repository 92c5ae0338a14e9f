"""Make ``generated/`` again: a golden project a mechanism, to be read, and the lock of all projects and jobs.

The folder belongs to this module alone; what stands in it and is not generated is removed.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from adk_probe.codegen import check as drift_of
from adk_probe.codegen import write as write_project
from adk_probe.errors import Faults, InfrastructureError
from adk_probe.files import REMOVE, holds, reason, to_json, write_atomic
from adk_probe.generate import building
from adk_probe.generate.building import Made
from adk_probe.project import generated
from adk_probe.project.config import Config
from adk_probe.project.generated import FOLDER, LOCK, SCHEMA, Lock

README = "README.md"
"""Not committed with a golden project, since it says on which releases a mechanism is proven."""


def lock_of(config: Config, made: Mapping[str, Made]) -> Lock:
    """Return the lock of what is made of every graph."""
    graphs = {stem: each.lock for stem, each in made.items()}
    used = {name for graph in graphs.values() for name in graph.projects}
    rows = {name: generated.declared(config.mechanisms[name]) for name in sorted(used)}
    return Lock(SCHEMA, generated.generator(), rows, graphs)


def golden(config: Config, made: Mapping[str, Made]) -> dict[str, dict[str, str]]:
    """Return the projects that are committed: the folder of each below the root, with its files.

    Raises:
        InputError: a mechanism that has projects names none of their graphs.
    """
    found, faults = {}, Faults()
    for name, row in sorted(config.mechanisms.items()):
        able = {stem: each for stem, each in made.items() if name in each.projects}
        graph = able.get(row.golden)
        if graph is not None:
            files = {path: text for path, text in graph.projects[name].items() if path != README}
            found[f"{FOLDER}/{generated.project_path(row.golden, name, graph.name)}"] = files
        elif able:
            words = f"{row.golden!r} is none of its graphs; these are {', '.join(able)}"
            faults.add(f"[mechanisms.{name}] golden: {words}")
    faults.refuse("matrix.toml", "Name the graph that shows the most.")
    return found


def drifted(root: Path, config: Config, made: Mapping[str, Made]) -> list[str]:
    """Return every path of ``generated/`` that is other than what is generated; for the rest see ``golden``."""
    projects = golden(config, made)
    found = [f"{folder}/{path}" for folder, files in projects.items() for path in drift_of(root / folder, files).paths]
    if not holds(root / LOCK, to_json(lock_of(config, made))):
        found.append(LOCK)
    strangers = _strangers(root, {*projects, LOCK})
    return sorted([*found, *(path.relative_to(root).as_posix() for path in strangers)])


def write(root: Path, config: Config, made: Mapping[str, Made]) -> list[str]:
    """Make ``generated/`` hold what is generated and nothing else; return what was changed.

    Raises:
        InputError: see ``golden``.
        InfrastructureError: a file cannot be written or removed; it is named.
    """
    changed = drifted(root, config, made)
    projects = golden(config, made)
    for path in _strangers(root, {*projects, LOCK}):
        try:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except OSError as error:
            raise InfrastructureError(f"{path.relative_to(root)}: cannot be removed: {reason(error)}", REMOVE) from None
    for folder, files in projects.items():
        write_project(root / folder, files)
    write_atomic(root / LOCK, to_json(lock_of(config, made)), LOCK)
    building.forget(root, made)
    return changed


def export(folder: Path, made: Mapping[str, Made]) -> list[str]:
    """Write every project and every job below a folder; return what was changed.

    Raises:
        InfrastructureError: a file cannot be written; it is named.
    """
    files = {path: data for stem, each in made.items() for path, data in sorted(each.files(stem).items())}
    return [str(folder / path) for path, data in files.items() if write_atomic(folder / path, data, path)]


def _strangers(root: Path, kept: set[str]) -> list[Path]:
    """Return what is in ``generated/`` and is none of the paths that are kept; complete folders where none of it is."""
    own = {root / name for name in kept}
    above = {parent for path in own for parent in path.parents}
    found: list[Path] = []

    def look(folder: Path) -> None:
        for path in sorted(folder.iterdir()):
            if path in above and path.is_dir():
                look(path)
            elif path not in own:
                found.append(path)

    if (root / FOLDER).is_dir():
        look(root / FOLDER)
    return found
