"""The files that reports are kept in: made from a judgement, written, and compared with what is there."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable

import msgspec

from adk_probe.errors import ProbeError, own_fault
from adk_probe.evidence import store
from adk_probe.evidence.comparison import compare
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.judging import judge_project, settled
from adk_probe.files import holds, read_text, sweep, to_json, write_atomic
from adk_probe.machine import locks
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice
from adk_probe.report import comparison, html, junit, markdown
from adk_probe.report.document import matrix_json
from adk_probe.report.view import View, project_view

REPORTS = ("matrix.json", "matrix.md", "matrix.html", "junit.xml")
# large, and made from the evidence whenever they are wanted
UNKEPT = ("reports/matrix.json", "reports/matrix.html", "reports/junit.xml")
COMPARED = "critic-loop"


class Reports(msgspec.Struct, frozen=True):
    """The reports that could be made, by path from the project's folder, and an error for each of the others."""

    files: dict[str, bytes]
    faults: tuple[ProbeError, ...]


def reports(project: Project, judgement: Judgement, readme: bool) -> Reports:
    """Return every report, the README only on request; one that cannot be made takes no other with it.

    What was never run is in none of them: they are what the evidence gives.
    """
    project, judgement = settled(project, judgement)
    files: dict[str, bytes] = {}
    faults: list[ProbeError] = []
    for name, make in _makers(project, judgement, readme).items():
        try:
            files[name] = make()
        except ProbeError as error:
            faults.append(error.of(name))
        except Exception as error:
            faults.append(own_fault(name, error))
    return Reports(files, tuple(faults))


def _makers(project: Project, judgement: Judgement, readme: bool) -> dict[str, Callable[[], bytes]]:
    @functools.cache
    def shown() -> View:
        return project_view(project, judgement)

    def excerpt() -> bytes:
        before = read_text(project.root / "README.md", "README.md")
        return markdown.put_excerpt(before, markdown.excerpt(shown())).encode()

    made: dict[str, Callable[[], bytes]] = {
        "reports/matrix.json": lambda: to_json(matrix_json(judgement)),
        "reports/matrix.md": lambda: (markdown.render(shown()) + _comparison(project, judgement)).encode(),
        "reports/matrix.html": lambda: html.render(shown(), store.load(project.root).results).encode(),
        "reports/junit.xml": lambda: junit.render(shown()),
    }
    return {**made, "README.md": excerpt} if readme else made


def _comparison(project: Project, judgement: Judgement) -> str:
    """Return the engines side by side, where there is more than one to compare."""
    if len({target.engine for target in judgement.targets}) < 2 or not project.config.comparison:
        return ""
    text = comparison.render_markdown(compare(project, judgement, COMPARED)).rstrip("\n")
    # a chapter of a page that stands beside the evidence
    return "\n#" + text.replace("](reports/", "](") + "\n"


def complete(project: Project) -> bool:
    """Whether every report is there, so that a run that changed nothing need not make them again."""
    return all((project.root / "reports" / name).is_file() for name in REPORTS)


def write_reports(project: Project, choice: Choice, readme: bool = False) -> tuple[Judgement, tuple[ProbeError, ...]]:
    """Judge all evidence, as ``Project.judge`` does, and write every report that is other than what is there.

    No other harness changes evidence or reports meanwhile, so the last one to write them saw all that there is.

    Returns:
        The judgement, and why reports could not be made or written; of these what was there stays, and all others
        are written.
    """
    with locks.reports(project.root):
        # no age: the same evidence gives the same reports on any day
        judgement = judge_project(project, choice, None)
        made = reports(project, judgement, readme)
        faults = list(made.faults)
        for name, data in made.files.items():
            path = project.root / name
            sweep(path.parent, path.name)
            try:
                write_atomic(path, data, name)
            except ProbeError as error:
                faults.append(error)
    return judgement, tuple(faults)


def drifted_reports(project: Project, judgement: Judgement, readme: bool) -> list[str]:
    """Return the reports that are other than what the evidence gives; those that are not committed may be missing.

    Raises:
        ProbeError: one cannot be made.
    """
    made = reports(project, judgement, readme)
    for fault in made.faults:
        raise fault
    unkept = {name for name in UNKEPT if not os.path.lexists(project.root / name)}
    return [name for name, data in made.files.items() if name not in unkept and not holds(project.root / name, data)]
