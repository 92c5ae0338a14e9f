"""What the commands put out: documents for programs and texts for people; prints nothing."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.errors import EvidenceError, ProbeError, own_fault
from adk_probe.evidence import store
from adk_probe.evidence.folder import Project
from adk_probe.evidence.gate import Change
from adk_probe.evidence.judge import Judgement
from adk_probe.execution.schedule import Worklist
from adk_probe.execution.target import TargetOutcome
from adk_probe.files import holds, read_text, sweep, to_json, write_atomic
from adk_probe.machine import locks
from adk_probe.model import Target
from adk_probe.project.plan import Choice
from adk_probe.project.releases import Releases
from adk_probe.report.document import MatrixDocument, matrix_json
from adk_probe.report.view import View, build

REPORTS = ("matrix.json", "matrix.md", "matrix.html", "junit.xml")
# large, and made from the evidence whenever they are wanted
UNKEPT = ("reports/matrix.json", "reports/matrix.html", "reports/junit.xml")
COMPARED = "critic-loop"
GATE_SCHEMA = "adk-probe.gate-changes/1"


def view(project: Project, judgement: Judgement) -> View:
    """Return the view model that every report is made from."""
    return build(project.config, project.catalog, project.releases, judgement)


def document(_: Project, judgement: Judgement) -> MatrixDocument:
    """Return the matrix as ``reports/matrix.json`` has it."""
    return matrix_json(judgement)


def text(project: Project, judgement: Judgement) -> str:
    """Return what a terminal shows of the matrix."""
    from adk_probe.report.text import render

    return render(view(project, judgement), max(80, shutil.get_terminal_size((120, 40)).columns)).rstrip("\n")


class Reports(msgspec.Struct, frozen=True):
    """The reports that could be made, by path from the project's folder, and an error for each of the others."""

    files: dict[str, bytes]
    faults: tuple[ProbeError, ...]


def reports(project: Project, judgement: Judgement, readme: bool) -> Reports:
    """Return every report, the README only on request; one that cannot be made takes no other with it.

    What was never run is in none of them: they are what the evidence gives.
    """
    project, judgement = project.settled(judgement)
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
    from adk_probe.report import html, junit, markdown

    @functools.cache
    def shown() -> View:
        return view(project, judgement)

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
    from adk_probe.report import comparison

    if len({target.engine for target in judgement.targets}) < 2 or not project.config.comparison:
        return ""
    told = comparison.render_markdown(comparison.compare(project, judgement, COMPARED)).rstrip("\n")
    # a chapter of a page that stands beside the evidence
    return "\n#" + told.replace("](reports/", "](") + "\n"


def whole(project: Project) -> bool:
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
        judgement = project.judge(choice, None)
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
    """Return the reports that are other than what the evidence gives; those that nobody keeps may be missing.

    Raises:
        ProbeError: one cannot be made.
    """
    made = reports(project, judgement, readme)
    for fault in made.faults:
        raise fault
    unkept = {name for name in UNKEPT if not os.path.lexists(project.root / name)}
    return [name for name, data in made.files.items() if name not in unkept and not holds(project.root / name, data)]


def narrowed(judgement: Judgement, targets: Iterable[Target]) -> Judgement:
    """Return a judgement of some targets alone."""
    kept = set(targets)
    return msgspec.structs.replace(
        judgement,
        targets=tuple(target for target in judgement.targets if target in kept),
        cells=tuple(cell for cell in judgement.cells if cell.target in kept),
        mechanisms=tuple(row for row in judgement.mechanisms if row.target in kept),
        drift=tuple(target for target in judgement.drift if target in kept),
        missing=tuple(target for target in judgement.missing if target in kept),
    )


def of_probes(project: Project, judgement: Judgement, probes: Iterable[str]) -> tuple[Project, Judgement]:
    """Return a project and a judgement that know some probes alone, to show what a narrow run is about."""
    kept = set(probes)
    catalog = msgspec.structs.replace(
        project.catalog,
        probes={
            engine: {name: probe for name, probe in known.items() if name in kept}
            for engine, known in project.catalog.probes.items()
        },
    )
    config = msgspec.structs.replace(project.config, mechanisms={})
    cells = tuple(cell for cell in judgement.cells if cell.probe in kept)
    return (
        msgspec.structs.replace(project, catalog=catalog, config=config),
        msgspec.structs.replace(judgement, cells=cells, mechanisms=()),
    )


def filtered(project: Project, judgement: Judgement, choice: Choice) -> Judgement:
    """Return a judgement of the targets that a choice's engine, release, Python and lane leave.

    Raises:
        InputError: the release is none.
        EvidenceError: nothing is left.
    """
    pythons = project.config.pythons_in(choice.python) if choice.python else None
    releases: dict[str, set[str]] = {}
    if choice.release is not None:
        for engine in [choice.engine] if choice.engine else sorted({t.engine for t in judgement.targets}):
            releases[engine] = {each.version for each in project.releases.choose(engine, choice.release)}
    kept = [
        target
        for target in judgement.targets
        if choice.engine in (None, target.engine)
        and (pythons is None or target.python in pythons)
        and choice.lane in (None, target.lane)
        and (choice.release is None or target.release in releases[target.engine])
    ]
    if not kept:
        raise EvidenceError("there is no evidence of such a target", "Run it: `adk-probe run` takes the same options.")
    return narrowed(judgement, kept)


def _gone(changes: Iterable[Change]) -> dict[str, int]:
    """Return the targets of which nothing is left, with how many cells were accepted of each."""
    found: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for change in changes:
        found.setdefault(change.target, set()).add(change.what)
        counts[change.target] = counts.get(change.target, 0) + 1
    return {target: counts[target] for target, what in found.items() if what == {"missing"} and counts[target] > 1}


def explained(work: Worklist) -> dict[str, Any]:
    """Return what would run and why."""
    return {
        "schema": "adk-probe.explain-run/1",
        "targets": [{"target": todo.item.target, "why": todo.why} for todo in work.pending],
    }


def explained_text(work: Worklist) -> str:
    """Return what would run and why, in words: probes that share a reason together."""
    lines = []
    for todo in work.pending:
        lines.append(todo.item.target.label)
        reasons: dict[tuple[str, ...], list[str]] = {}
        for probe, why in sorted(todo.why.items()):
            reasons.setdefault(why, []).append(probe)
        for why, probes in reasons.items():
            named = "every probe" if len(probes) == len(todo.item.probes) else ", ".join(probes)
            lines.append(f"  {', '.join(why)}: {named}")
    return "\n".join(lines) or "nothing would run: nothing has changed"


def unchanged_text(outcomes: Iterable[TargetOutcome], shown: bool) -> str:
    """Return that a run had nothing to do, and what it could not do.

    Args:
        shown: whether the matrix follows; else the command that shows it is named.
    """
    untried = Counter(each.state for each in outcomes if each.state != "current")
    lines = ["nothing has changed: no target had to run again"]
    lines += [f"{count} target(s) {state}" for state, count in sorted(untried.items())]
    return "\n".join([*lines, *([] if shown else ["`adk-probe report` shows the matrix"])])


def run_document(project: Project, judgement: Judgement, outcomes: Iterable[TargetOutcome]) -> dict[str, Any]:
    """Return the matrix of a run's targets, and under ``run`` how each ended."""
    built = msgspec.to_builtins(document(project, judgement))
    rows = [
        {"target": each.target.key, "state": each.state, "cells": each.cells, "message": each.message}
        for each in outcomes
    ]
    return {**built, "run": rows}


def gate_document(changes: list[Change]) -> dict[str, Any]:
    """Return what the gate found."""
    return {"schema": GATE_SCHEMA, "changes": changes}


def gate_text(changes: list[Change]) -> str:
    """Return what the gate found, in words, and what to do about it."""
    if not changes:
        return "the evidence is what was accepted"
    counts: dict[str, int] = {}
    for change in changes:
        counts[change.what] = counts.get(change.what, 0) + 1
    gone = _gone(changes)
    lines = [f"missing   every cell on {target}: {count} accepted → no evidence" for target, count in gone.items()]
    lines += [str(change) for change in changes if change.what != "unknown" and change.target not in gone]
    unknown = [change for change in changes if change.what == "unknown"]
    lines += [f"unknown   {target}: {now}" for target, now in dict.fromkeys((c.target, c.now) for c in unknown)]
    lines.append(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    if "stale" in counts or "missing" in counts:
        lines.append("`adk-probe run` makes the evidence whole.")
    if counts.keys() - {"stale", "missing", "unknown"}:
        lines.append('If it is right, accept it: `adk-probe gate --update --reason "…"`.')
    return "\n".join(lines)


def releases_text(known: Releases) -> str:
    """Return which releases are known, a line an engine."""
    lines = []
    for engine, rows in sorted(known.engines.items()):
        final = [release.version for release in rows if release.final]
        newest = f"the newest {final[-1]}" if final else "none of them final"
        lines.append(f"{engine}: {len(rows)} releases, {len(final)} final, {newest}")
    return "\n".join(lines)


def evidence(project: Project, judgement: Judgement, probe: str, choice: Choice, against: str | None, form: str) -> str:
    """Return Markdown about one claim, as an issue or a decision record; raises as ``evidence.subject`` does."""
    from adk_probe.report import evidence as made

    about = made.subject(
        project.root,
        view(project, judgement),
        store.load(project.root).results,
        probe,
        choice.release or "",
        against,
        project.config.pythons_in(choice.python) if choice.python else None,
        choice.lane,
        choice.engine,
    )
    return made.render(about, form)


def generate_command(file: Path, folder: Path, options: Mapping[str, Any]) -> str:
    """Return the command that generates a project again, to be pasted."""
    words = ["adk-probe", "generate", str(file)]
    for name in ("engine", "release", "python", "mechanism"):
        words += [f"--{name}", str(options[name])] if options[name] else []
    words += ["--accept-untested"] if options["accept_untested"] else []
    words += ["--max-age", str(options["max_age"])] if options["max_age"] is not None else []
    return shlex.join([*words, "--out", str(folder)])


def generated_text(told: Mapping[str, Any]) -> str:
    """Return what was generated, by which mechanism and why."""
    changed = ", ".join(told["changed"]) or "nothing; it was as generated"
    return f"{told['folder']}: by {told['mechanism']}\n  {told['why']}\n  changed: {changed}"


def codegen_text(told: Mapping[str, Any], folder: str) -> str:
    """Return what of ``generated/``, or of another folder, was or would be changed."""
    changed: list[str] = told["changed"]
    if not changed:
        return f"{folder} is what {told['projects']} projects make"
    verb = "changed" if told["written"] else "is not what is generated"
    lines = [f"{verb}: {path}" for path in changed[:20]]
    lines += [f"and {len(changed) - 20} more"] if len(changed) > 20 else []
    return "\n".join([*lines, *([] if told["written"] else ["`adk-probe codegen` fixes it"])])
