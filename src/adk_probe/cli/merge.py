"""``adk-probe merge``: the evidence of several machines into this project's."""

from __future__ import annotations

from pathlib import Path

import click

from adk_probe.cli.shared import GOOD, Context, complained, put
from adk_probe.cli.shared import options as shared_options
from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence import joining, merging, store
from adk_probe.machine import locks
from adk_probe.model import TargetResult
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
    for result in joined.values():
        _put(project, result)
    _, faults = files.write_reports(project, Choice())
    told = {"schema": MERGE_SCHEMA, "targets": sorted(joined)}
    put(told, as_json, lambda: f"merged the evidence of {len(joined)} targets")
    return complained(faults) or GOOD


def _read(folder: Path) -> dict[str, TargetResult]:
    """Return the evidence in a project's folder.

    Raises:
        InputError: there is none.
        EvidenceError: a file is no evidence.
    """
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
        same = before is not None and before.environment == result.environment and result.fault is None
        store.save(project.root, merging.merged(before, result, known) if same else result)
