"""``adk-probe merge``: the evidence of several machines into this project's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from adk_probe.cli.shared import GOOD, Context, complained, put
from adk_probe.cli.shared import options as shared_options
from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence import joining, merging, store
from adk_probe.evidence.inputs import code_inputs
from adk_probe.machine import locks
from adk_probe.model import Observation, TargetResult
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice
from adk_probe.report import files

MERGE_SCHEMA = "adk-probe.merge/1"


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@shared_options("json")
@click.pass_obj
def merge(context: Context, /, folders: tuple[Path, ...], as_json: bool) -> int:
    """Join the evidence of FOLDERS, each with a reports/results of its own, and put it into this project's.

    Exit 3, and nothing is written, where two of them say different things of the same cell, or a file is no evidence.
    """
    project = context.project()
    joined = joining.join(_read(folder) for folder in folders)
    if unknown := sorted({result.target.engine for result in joined.values()} - project.config.engines.keys()):
        raise InputError(f"matrix.toml: no engine {', '.join(unknown)}", "Declare it, or leave its evidence out.")
    kept = _checked(project, joined)
    for result in joined.values():
        if result.target.key not in kept:
            _put(project, result)
    _, faults = files.write_reports(project, Choice())
    told = {"schema": MERGE_SCHEMA, "targets": sorted(set(joined) - kept), "kept": sorted(kept)}
    put(told, as_json, lambda: _words(len(joined) - len(kept), sorted(kept)))
    return complained(faults) or GOOD


def _words(merged: int, kept: list[str]) -> str:
    own = f"\nkept as it is, since it is newer here: {', '.join(kept)}" if kept else ""
    return f"merged the evidence of {merged} targets{own}"


def _checked(project: Project, joined: Mapping[str, TargetResult]) -> set[str]:
    """Return the targets of which this project's own evidence is newer, by other pins.

    Raises:
        EvidenceError: its own evidence says something else of the same cell, made from the same files and pins.
    """
    kept, faults = set(), []
    for key, result in joined.items():
        own = store.load_one(project.root, result.target)
        if own is None:
            continue
        if own.environment != result.environment:
            if own.resolved > result.resolved:
                kept.add(key)
            continue
        mine = {cell.probe: cell for cell in own.cells}
        faults += [
            f"{key}: {cell.probe}: {mine[cell.probe].outcome} here, {cell.outcome} there"
            for cell in result.cells
            if cell.probe in mine and mine[cell.probe].inputs == cell.inputs and mine[cell.probe] != cell
        ]
    if faults:
        raise EvidenceError(
            f"this project's own evidence contradicts it in {len(faults)} place(s), and nothing was merged",
            "Run these again here: `adk-probe run --refresh`.",
            tuple(sorted(faults)),
        )
    return kept


def _read(folder: Path) -> dict[str, TargetResult]:
    """Return the evidence in a project's folder.

    Raises:
        InputError: there is none.
        EvidenceError: a file is no evidence.
    """
    if not folder.name:
        raise InputError("'' names no folder", "Give folders in which `adk-probe run` kept evidence.")
    if not (folder / store.FOLDER).is_dir():
        raise InputError(f"{folder}: has no {store.FOLDER}", "Give folders in which `adk-probe run` kept evidence.")
    loaded = store.load(folder)
    if loaded.faults:
        raise EvidenceError(
            f"{folder}: {len(loaded.faults)} file(s) are no evidence, and nothing was merged",
            "Fetch them once more, or run that shard again.",
            tuple(map(str, loaded.faults)),
        )
    return loaded.results


def _put(project: Project, result: TargetResult) -> None:
    known = project.catalog.probes[result.target.engine]
    with locks.reports(project.root):
        before = store.load_timed(project.root, result.target)
        if before is None or before.environment != result.environment or result.fault is not None:
            store.save(project.root, result)
            return
        # of a cell that was made from two states of the files, the one of this project's files stays
        ours = {cell.probe: cell.inputs for cell in before.cells}
        current = tuple(
            cell
            for cell in result.cells
            if cell.probe not in ours or ours[cell.probe] == cell.inputs or _is_current(project, cell)
        )
        newest = max(before.resolved, result.resolved)
        made = merging.merged(before, msgspec.structs.replace(result, cells=current), known)
        store.save(project.root, msgspec.structs.replace(made, resolved=newest))


def _is_current(project: Project, cell: Observation) -> bool:
    """Whether a cell was made from the files that this project has."""
    probe = next((found[cell.probe] for found in project.catalog.probes.values() if cell.probe in found), None)
    if probe is None:
        return False
    own = code_inputs(project.catalog, probe)
    return all(cell.inputs.get(name) == value for name, value in own.items())
