"""Remembers on this machine what was found to be in order, by digests, so that nothing is worked out twice.

What is remembered says nothing of the evidence itself: a digest stands for exact bytes of declarations, probes and
evidence, and whatever differs in one of them is looked at again.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from adk_probe.evidence import lock, store
from adk_probe.evidence.inputs import code_inputs
from adk_probe.evidence.judge import Judgement
from adk_probe.files import digest, read_file, write_atomic
from adk_probe.machine.state import Local, State
from adk_probe.project.folder import Project
from adk_probe.project.plan import Planned


def declared(project: Project) -> str:
    """Return a digest of all that is declared, of every probe, and of what of the harness runs inside targets."""
    worker = code_inputs(project.catalog, project.catalog.controls[0])["worker"]
    return digest((project.config, project.releases, project.catalog, worker))


def currency(project: Project, everything: str, item: Planned, state: State) -> str:
    """Return a digest of all that decides whether a target must run; empty where it has no evidence.

    Args:
        everything: what :func:`declared` returns.
    """
    sha = _sum(project, store.path_of(item.target.key))
    if not sha or state.interpreter is None or not state.resolved:
        return ""
    return digest((everything, sha, item, state.interpreter, state.pins, Local(project.root).observed(item.target)))


def in_order(project: Project) -> bool:
    """Whether the very same evidence, by the very same declarations, was judged here before without a note."""
    key = _judged(project)
    with contextlib.suppress(OSError):
        return _memory(project).read_text(encoding="ascii") == key
    return False


def remember(project: Project, judgement: Judgement) -> None:
    """Remember that all evidence was judged without a note; one with notes is judged again each time."""
    if not judgement.notes:
        write_atomic(_memory(project), _judged(project).encode())


def _memory(project: Project) -> Path:
    return Local(project.root).folder / "judged.txt"


def _judged(project: Project) -> str:
    files = sorted(path.name for path in (project.root / store.FOLDER).glob("*.json"))
    sums = {name: _sum(project, f"{store.FOLDER}/{name}") for name in files}
    return digest((declared(project), sums, _sum(project, lock.FILE), Local(project.root).unavailable()))


def _sum(project: Project, file: str) -> str:
    """Return the SHA-256 of a file; empty where it cannot be read."""
    try:
        return hashlib.sha256(read_file(project.root / file)).hexdigest()
    except OSError:
        return ""
