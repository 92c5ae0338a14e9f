"""``adk-probe codegen``: generate every graph of the project by every mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from adk_probe.cli.shared import GOOD, REFUSED, Context, options, put
from adk_probe.errors import InputError
from adk_probe.generate import building, corpus
from adk_probe.machine.state import Local
from adk_probe.project import config
from adk_probe.project.folder import MATRIX_FILE


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where generated/ is out of date.")
@click.option("--out", type=click.Path(path_type=Path), help="Write all projects and jobs to this folder only.")
@options("json")
@click.pass_obj
def codegen(context: Context, /, check: bool, out: Path | None, as_json: bool) -> int:
    """Generate every graph of probes/graphs by every mechanism, and the jobs of its scenarios.

    What is built is kept for runs; generated/ gets a golden project of each mechanism and the lock of all.
    """
    if check and out is not None:
        raise InputError("--check and --out do not go together", "--check is about generated/.")
    root = context.folder()
    declared = config.load(root / MATRIX_FILE)
    if check:
        made = building.make(root, declared)
        changed = corpus.drifted(root, declared, made)
    else:
        with Local(root).lock():
            made = building.make(root, declared, keep=True)
            changed = corpus.write(root, declared, made) if out is None else corpus.export(out, made)
    projects = sum(len(each.projects) for each in made.values())
    document = {"schema": "adk-probe.codegen/1", "projects": projects, "changed": changed, "written": not check}
    put(document, as_json, lambda: codegen_text(document, str(out or "generated/")))
    return REFUSED if check and changed else GOOD


def codegen_text(document: Mapping[str, Any], folder: str) -> str:
    """Return what of ``generated/``, or of another folder, was or would be changed."""
    changed: list[str] = document["changed"]
    if not changed:
        return f"{folder} is what {document['projects']} projects make"
    verb = "changed" if document["written"] else "is not what is generated"
    lines = [f"{verb}: {path}" for path in changed[:20]]
    lines += [f"and {len(changed) - 20} more"] if len(changed) > 20 else []
    return "\n".join([*lines, *([] if document["written"] else ["`adk-probe codegen` fixes it"])])
