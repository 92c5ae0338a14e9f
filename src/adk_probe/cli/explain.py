"""``adk-probe explain``: all that is known of a probe or a mechanism."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from adk_probe.cli.screen import reason_lines, short
from adk_probe.cli.shared import GOOD, Context, choice_of, noted, options, put
from adk_probe.errors import InputError
from adk_probe.evidence.cells import Cell
from adk_probe.evidence.judge import Judged, Judgement
from adk_probe.evidence.judging import judge_project
from adk_probe.evidence.reasons import few, merged
from adk_probe.evidence.selection import filtered
from adk_probe.model import Target, Verdict
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice
from adk_probe.project.requirements import requirements
from adk_probe.ranges import Scale
from adk_probe.report.view import SIGNS, VERDICT_SIGNS, Look, look, word

EXPLANATION_SCHEMA = "adk-probe.explanation/1"


@click.command()
@click.argument("name")
@options("engine", "release", "python", "lane", "json", "max-age")
@click.pass_obj
def explain(context: Context, /, name: str, as_json: bool, max_age: int | None, **options: Any) -> int:
    """Show all that is known about a probe or a mechanism: claim, verdicts, facts, and what is stale and why."""
    project = context.project()
    choice = choice_of(**{**options, "engine": project.engine_of(name, options["engine"])})
    judgement = noted(judge_project(project, Choice(), project.max_age(max_age)))
    document = explanation(project, filtered(project, judgement, choice), name, choice.engine)
    scale = project.scale(choice.engine or "", judgement.targets)
    put(document, as_json, lambda: explanation_text(document, scale, choice))
    return GOOD


def explanation(project: Project, judgement: Judgement, name: str, engine: str | None) -> dict[str, Any]:
    """Return all that is known of a probe or a mechanism of an engine on the judgement's targets."""
    if name.partition("+")[0] in project.config.mechanisms:
        name, row_wanted = name.partition("+")[0], name
        mechanism = project.config.mechanisms[name]
        every = {each.name: each.probes for each in requirements(project.config, project.catalog)}
        if row_wanted not in every:
            raise InputError(
                f"{name} has no row {row_wanted}", f"There are: {', '.join(each for each in every if '+' in each)}."
            )
        probes = every[row_wanted]
        rows = [row for row in judgement.mechanisms if row.mechanism == name and row_wanted in (name, row.name)]
        document = {"mechanism": name, "sentence": mechanism.sentence, "requires": probes, "verdicts": rows}
    else:
        cells = [cell for cell in judgement.cells if cell.probe == name]
        probe = project.catalog.probe(name, engine)
        required = requirements(project.config, project.catalog)
        used = [each.name for each in required if each.engine == probe.engine and name in each.probes]
        document = {"probe": name, "claim": probe.claim, "file": probe.file, "required_by": used, "cells": cells}
    return {"schema": EXPLANATION_SCHEMA, **document}


def explanation_text(document: dict[str, Any], scale: Scale, choice: Choice) -> str:
    """Return an explanation in words: targets that share an answer together, as the matrix shows them."""
    return "\n".join(_mechanism(document, scale, choice) if "mechanism" in document else _probe(document, scale))


def _mechanism(document: dict[str, Any], scale: Scale, choice: Choice) -> Iterator[str]:
    name = document["mechanism"]
    yield f"{name}: {document['sentence']}"
    yield f"requires {few(document['requires'])}"
    groups: dict[tuple[str, Verdict, tuple[str, ...], tuple[str, ...], tuple[str, ...]], list[Judged]] = {}
    for row in document["verdicts"]:
        groups.setdefault((row.feature, row.verdict, row.reasons, row.waived, row.fidelity_on), []).append(row)
    shown = ""
    for (feature, verdict, _, waived, elsewhere), rows in groups.items():
        targets = [row.target for row in rows]
        if feature != shown:
            yield f"with {feature}:"
            shown = feature
        yield f"{VERDICT_SIGNS[verdict]} {verdict:10} {scale.where(targets)}"
        if elsewhere:
            yield f"    fidelity as seen on Python {', '.join(elsewhere)}"
        newest = targets[-1]
        more = f"adk-probe explain {name} {newest.command}"
        yield from reason_lines((msgspec.structs.replace(each, where="") for each in merged(rows, scale)), more)
        if verdict is Verdict.UNPROVEN:
            yield f"    this would test it: `adk-probe run {_options(newest, choice)}`"
        yield from (f"    waived: {claim}" for claim in waived)


def _options(target: Target, choice: Choice) -> str:
    """Return the options that choose what was asked about; where nothing was named, one target."""
    if choice.release is None:
        return target.command
    release = shlex.quote(choice.release)
    python = shlex.quote(choice.python or target.python)
    return f"--engine {target.engine} --release {release} --python {python} --lane {target.lane}"


def _probe(document: dict[str, Any], scale: Scale) -> Iterator[str]:
    yield f"{document['probe']}: {document['claim']}"
    yield f"in {document['file']}"
    if document["required_by"]:
        yield f"required by {few(document['required_by'])}"
    groups: dict[bytes, list[Cell]] = {}
    for cell in document["cells"]:
        shown = (cell.outcome, cell.kind, cell.message, cell.changed, cell.facts, cell.deprecations)
        groups.setdefault(msgspec.json.encode(shown, order="deterministic"), []).append(cell)
    for cells in groups.values():
        first = cells[0]
        sign = SIGNS[look(first)]
        tail = f": {short(first.message)}" if first.message else ""
        yield f"{sign} {word(first)} on {scale.where([cell.target for cell in cells])}{tail}"
        if first.changed:
            yield f"    stale: {few(first.changed)} changed since"
        for key, value in sorted(first.facts.items()):
            yield f"    {key} = {short(msgspec.json.encode(value).decode())}"
        yield from (f"    warning: {short(message)}" for message in first.deprecations)
    if not document["cells"]:
        yield f"{SIGNS[Look.NOT_RUN]} not run there yet"
