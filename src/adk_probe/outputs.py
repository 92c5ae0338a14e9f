"""What the commands put out: documents for programs and texts for people; prints nothing."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from adk_probe import store
from adk_probe.answers import Allowed
from adk_probe.errors import EvidenceError
from adk_probe.files import to_json, write_atomic
from adk_probe.gate import Change
from adk_probe.harness import Sorted
from adk_probe.judge import Judgement
from adk_probe.model import Target
from adk_probe.plan import Choice
from adk_probe.project import Project
from adk_probe.ranges import words
from adk_probe.releases import Releases
from adk_probe.report.document import MatrixDocument, matrix_json
from adk_probe.report.view import VERDICT_SIGNS as SIGNS
from adk_probe.report.view import View, build
from adk_probe.target import Ended

REPORTS = ("matrix.json", "matrix.md", "matrix.html", "junit.xml")
# large, and made anew from the evidence whenever they are wanted
UNKEPT = ("reports/matrix.html", "reports/junit.xml")
COMPARED = "critic-loop"
GATE_SCHEMA = "adk-probe.gate-changes/1"


def view(project: Project, judgement: Judgement) -> View:
    """Return the view model that every report is made from."""
    return build(project.matrix, project.catalog, project.releases, judgement)


def document(_: Project, judgement: Judgement) -> MatrixDocument:
    """Return the matrix as ``reports/matrix.json`` has it."""
    return matrix_json(judgement)


def text(project: Project, judgement: Judgement) -> str:
    """Return what a terminal shows of the matrix."""
    from adk_probe.report.text import render

    return render(view(project, judgement), max(80, shutil.get_terminal_size((120, 40)).columns)).rstrip("\n")


def reports(project: Project, judgement: Judgement, readme: bool) -> dict[str, bytes]:
    """Return every report by its path from the project's folder; the README only on request."""
    from adk_probe.report import html, junit, markdown

    shown = view(project, judgement)
    made = {
        "reports/matrix.json": to_json(matrix_json(judgement)),
        "reports/matrix.md": (markdown.render(shown) + _comparison(project, judgement)).encode(),
        "reports/matrix.html": html.render(shown, store.load(project.root).results).encode(),
        "reports/junit.xml": junit.render(shown),
    }
    if readme:
        before = (project.root / "README.md").read_text(encoding="utf-8")
        made["README.md"] = markdown.put_excerpt(before, markdown.excerpt(shown)).encode()
    return made


def _comparison(project: Project, judgement: Judgement) -> str:
    """Return the engines side by side, where there is more than one to compare."""
    from adk_probe import compare

    if len({target.engine for target in judgement.targets}) < 2 or not project.matrix.comparison:
        return ""
    told = compare.render_markdown(compare.compare(project, judgement, COMPARED)).rstrip("\n")
    # a chapter of a page that stands beside the evidence
    return "\n#" + told.replace("](reports/", "](") + "\n"


def whole(project: Project) -> bool:
    """Whether every report is there, so that a run that changed nothing need not make them again."""
    return all((project.root / "reports" / name).is_file() for name in REPORTS)


def write_reports(project: Project, judgement: Judgement, readme: bool = False) -> None:
    """Write every report that is other than what is there.

    Raises:
        InfrastructureError: one cannot be written; what was there stays.
    """
    for name, data in reports(project, judgement, readme).items():
        write_atomic(project.root / name, data)


def drifted_reports(project: Project, judgement: Judgement, readme: bool) -> list[str]:
    """Return the reports that are other than what the evidence gives; those that nobody keeps may be missing."""
    found = []
    for name, data in reports(project, judgement, readme).items():
        path = project.root / name
        if not path.is_file():
            found += [] if name in UNKEPT else [name]
        elif path.read_bytes() != data:
            found.append(name)
    return found


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
    matrix = msgspec.structs.replace(project.matrix, mechanisms={})
    cells = tuple(cell for cell in judgement.cells if cell.probe in kept)
    return (
        msgspec.structs.replace(project, catalog=catalog, matrix=matrix),
        msgspec.structs.replace(judgement, cells=cells, mechanisms=()),
    )


def filtered(project: Project, judgement: Judgement, choice: Choice) -> Judgement:
    """Return a judgement of the targets that a choice's engine, release, Python and lane leave.

    Raises:
        InputError: the release is none.
        EvidenceError: nothing is left.
    """
    releases: dict[str, set[str]] = {}
    if choice.release is not None:
        for engine in [choice.engine] if choice.engine else sorted({t.engine for t in judgement.targets}):
            releases[engine] = {each.version for each in project.releases.choose(engine, choice.release)}
    kept = [
        target
        for target in judgement.targets
        if choice.engine in (None, target.engine)
        and choice.python in (None, target.python)
        and choice.lane in (None, target.lane)
        and (choice.release is None or target.release in releases[target.engine])
    ]
    if not kept:
        raise EvidenceError("there is no evidence of such a target", "Run it: `adk-probe run` takes the same options.")
    return narrowed(judgement, kept)


def explained(work: Sorted) -> dict[str, Any]:
    """Return what would run and why."""
    return {
        "schema": "adk-probe.explain-run/1",
        "targets": [{"target": todo.item.target, "why": todo.why} for todo in work.todo],
    }


def explained_text(work: Sorted) -> str:
    """Return what would run and why, in words: probes that share a reason together."""
    lines = []
    for todo in work.todo:
        lines.append(todo.item.target.label)
        reasons: dict[tuple[str, ...], list[str]] = {}
        for probe, why in sorted(todo.why.items()):
            reasons.setdefault(why, []).append(probe)
        for why, probes in reasons.items():
            named = "every probe" if len(probes) == len(todo.item.probes) else ", ".join(probes)
            lines.append(f"  {', '.join(why)}: {named}")
    return "\n".join(lines) or "nothing would run: nothing has changed"


def run_document(project: Project, judgement: Judgement, ended: Iterable[Ended]) -> dict[str, Any]:
    """Return the matrix of a run's targets, and under ``run`` how each ended."""
    built = msgspec.to_builtins(document(project, judgement))
    rows = [
        {"target": each.target.key, "state": each.state, "cells": each.cells, "message": each.message} for each in ended
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
    lines = [str(change) for change in changes if change.what != "unknown"]
    unknown = [change for change in changes if change.what == "unknown"]
    lines += [f"unknown   {target}: {now}" for target, now in dict.fromkeys((c.target, c.now) for c in unknown)]
    lines.append(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    if "stale" in counts or "missing" in counts:
        lines.append("`adk-probe run` makes the evidence whole.")
    if counts.keys() - {"stale", "missing", "unknown"}:
        lines.append('If it is right, accept it: `adk-probe gate --update --reason "…"`.')
    return "\n".join(lines)


def allowed_text(answer: Allowed) -> str:
    """Return which mechanisms may be used, the preferred one first, and why not."""
    lines = []
    for engine, tested in answer.tested.items():
        left = answer.untested[engine]
        if tested or left:
            shown = words(tested, (*tested, *left)) or "none"
            lines.append(f"{engine} {answer.release}, Python {answer.python}, {answer.lane}: tested {shown}")
            lines += [f"  not tested: {words(left, (*tested, *left))}"] if left else []
    for row in answer.mechanisms:
        lines.append(f"{SIGNS[row.verdict]} {row.verdict:10} {row.mechanism}: {row.sentence}")
        lines += [f"    {reason}" for reason in row.reasons[:6]]
        lines += [f"    and {len(row.reasons) - 6} more reasons; --json has them all"] if len(row.reasons) > 6 else []
    if not answer.allowed:
        lines.append("no mechanism is allowed here")
    return "\n".join(lines)


def explanation(project: Project, judgement: Judgement, name: str) -> dict[str, Any]:
    """Return all that is known of a probe or a mechanism on the judgement's targets."""
    if name in project.matrix.mechanisms:
        mechanism = project.matrix.mechanisms[name]
        rows = [row for row in judgement.mechanisms if row.mechanism == name]
        told = {"mechanism": name, "sentence": mechanism.sentence, "requires": mechanism.claims, "verdicts": rows}
    else:
        cells = [cell for cell in judgement.cells if cell.probe == name]
        probe = project.catalog.probe(name)
        used = [each for each, made in project.matrix.preferred() if name in made.claims]
        told = {"probe": name, "claim": probe.claim, "file": probe.file, "required_by": used, "cells": cells}
    return {"schema": "adk-probe.explanation/1", **told}


def explanation_text(told: dict[str, Any]) -> str:
    """Return an explanation in words."""
    if "mechanism" in told:
        lines = [f"{told['mechanism']}: {told['sentence']}", f"requires {', '.join(told['requires'])}"]
        for row in told["verdicts"]:
            lines.append(f"{SIGNS[row.verdict]} {row.verdict:10} {row.target.label}")
            lines += [f"    {reason}" for reason in row.reasons]
            lines += [f"    waived: {claim}" for claim in row.waived]
        return "\n".join(lines)
    lines = [f"{told['probe']}: {told['claim']}", f"in {told['file']}"]
    lines += [f"required by {', '.join(told['required_by'])}"] if told["required_by"] else []
    for cell in told["cells"]:
        kind = f" ({cell.kind})" if cell.kind else ""
        lines.append(f"{cell.outcome}{kind} on {cell.target.label}{': ' if cell.message else ''}{cell.message}")
        lines += [f"    stale: {', '.join(cell.changed)} changed since"] if cell.changed else []
        lines += [f"    {key} = {msgspec.json.encode(value).decode()}" for key, value in sorted(cell.facts.items())]
        lines += [f"    warning: {message}" for message in cell.deprecations]
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
        choice.python,
        choice.lane,
        choice.engine,
    )
    return made.render(about, form)


def generate_command(file: Path, folder: Path, options: Mapping[str, Any]) -> str:
    """Return the command that generates a project anew, to be pasted."""
    words = ["adk-probe", "generate", str(file)]
    for name in ("engine", "release", "python", "mechanism"):
        words += [f"--{name}", str(options[name])] if options[name] else []
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
    return "\n".join([*lines, *([] if told["written"] else ["`adk-probe codegen` mends it"])])
