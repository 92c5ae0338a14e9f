"""What ``allowed`` and ``explain`` say in words, each on a screen; prints nothing."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from adk_probe import ranges
from adk_probe.evidence.allowed import Allowed
from adk_probe.evidence.folder import Project
from adk_probe.evidence.judge import Cell, Judged, Judgement
from adk_probe.evidence.reasons import Reason, few, merged
from adk_probe.model import Target, Verdict
from adk_probe.project.plan import Choice
from adk_probe.project.requirements import requirements
from adk_probe.ranges import Scale
from adk_probe.report.view import SIGNS, VERDICT_SIGNS, Look, look, word

REASONS_SHOWN = 5
WORDS = 240
EXPLANATION_SCHEMA = "adk-probe.explanation/1"


def allowed_text(answer: Allowed, scale: Scale) -> str:
    """Return which mechanisms may be used, the preferred one first, why not, and what the answer stands on."""
    asked = f", with {', '.join(answer.features)}" if answer.features else ""
    head = f"{answer.engine} {answer.release}, Python {answer.python}, {answer.lane}{asked}"
    lines = [f"{head}: {answer.verdict}", *_standing(answer, scale)]
    options = f"--engine {answer.engine} --release {shlex.quote(answer.release)} --lane {answer.lane}"
    for row in answer.mechanisms:
        lines.append(f"{VERDICT_SIGNS[row.verdict]} {row.verdict:10} {row.mechanism}: {row.sentence}")
        lines += _reasons(row.reasons, f"adk-probe explain {row.mechanism} {options}")
    return "\n".join(lines)


def _standing(answer: Allowed, scale: Scale) -> Iterator[str]:
    """Yield what was tested and what was not, as of when, and how old the oldest evidence is."""
    if answer.tested:
        yield f"  tested: {scale.where(answer.tested)}"
    if answer.untested:
        accepted = ", and accepted so (--accept-untested)" if answer.accept_untested else ""
        yield f"  not tested{accepted}: {scale.where(answer.untested)}"
        yield f"  this would test it: `{answer.command}`"
    required: dict[str, list[str]] = {}
    for version, pythons in answer.ruled_out.items():
        required.setdefault(pythons, []).append(version)
    for pythons, versions in required.items():
        yield f"  not for this Python: {ranges.words(versions, scale.releases)}, which requires Python {pythons}"
    if answer.until:
        when = f"the index named on {answer.asked}" if answer.asked else "the index named at an unknown time"
        yield f"  about the releases that {when}, up to {answer.until}; `adk-probe releases --update` asks again"
    if answer.oldest is not None:
        yield f"  oldest evidence: {answer.oldest.day}, {_days(answer.oldest.days)} ago ({answer.oldest.target.label})"


def _days(days: int) -> str:
    return "1 day" if days == 1 else f"{days} days"


def _reasons(reasons: Iterable[Reason], more: str) -> list[str]:
    every = list(reasons)
    lines = [f"    {_short(str(reason))}" for reason in every[:REASONS_SHOWN]]
    rest = len(every) - REASONS_SHOWN
    return [*lines, *([f"    and {rest} more reasons: `{more} --json`"] if rest > 0 else [])]


def _short(text: str) -> str:
    """Return the first line of a text, cut where it is too long for a screen."""
    line = " ".join(text.split())
    return line if len(line) <= WORDS else f"{line[: WORDS - 1]}…"


def explanation(project: Project, judgement: Judgement, name: str, engine: str | None) -> dict[str, Any]:
    """Return all that is known of a probe or a mechanism of an engine on the judgement's targets."""
    if name in project.config.mechanisms:
        mechanism = project.config.mechanisms[name]
        every = requirements(project.config, project.catalog)
        probes = next(each.probes for each in every if each.name == name)
        rows = [row for row in judgement.mechanisms if row.mechanism == name]
        told = {"mechanism": name, "sentence": mechanism.sentence, "requires": probes, "verdicts": rows}
    else:
        cells = [cell for cell in judgement.cells if cell.probe == name]
        probe = project.catalog.probe(name, engine)
        every = requirements(project.config, project.catalog)
        used = [each.name for each in every if each.engine == probe.engine and name in each.probes]
        told = {"probe": name, "claim": probe.claim, "file": probe.file, "required_by": used, "cells": cells}
    return {"schema": EXPLANATION_SCHEMA, **told}


def explanation_text(told: dict[str, Any], scale: Scale, choice: Choice) -> str:
    """Return an explanation in words: targets that share an answer together, as the matrix shows them."""
    return "\n".join(_mechanism(told, scale, choice) if "mechanism" in told else _probe(told, scale))


def _mechanism(told: dict[str, Any], scale: Scale, choice: Choice) -> Iterator[str]:
    name = told["mechanism"]
    yield f"{name}: {told['sentence']}"
    yield f"requires {few(told['requires'])}"
    groups: dict[tuple[str, Verdict, tuple[str, ...], tuple[str, ...]], list[Judged]] = {}
    for row in told["verdicts"]:
        groups.setdefault((row.feature, row.verdict, row.reasons, row.waived), []).append(row)
    shown = ""
    for (feature, verdict, _, waived), rows in groups.items():
        targets = [row.target for row in rows]
        if feature != shown:
            yield f"with {feature}:"
            shown = feature
        yield f"{VERDICT_SIGNS[verdict]} {verdict:10} {scale.where(targets)}"
        newest = targets[-1]
        more = f"adk-probe explain {name} {newest.command}"
        yield from _reasons((msgspec.structs.replace(each, where="") for each in merged(rows, scale)), more)
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


def _probe(told: dict[str, Any], scale: Scale) -> Iterator[str]:
    yield f"{told['probe']}: {told['claim']}"
    yield f"in {told['file']}"
    if told["required_by"]:
        yield f"required by {few(told['required_by'])}"
    groups: dict[bytes, list[Cell]] = {}
    for cell in told["cells"]:
        shown = (cell.outcome, cell.kind, cell.message, cell.changed, cell.facts, cell.deprecations)
        groups.setdefault(msgspec.json.encode(shown, order="deterministic"), []).append(cell)
    for cells in groups.values():
        first = cells[0]
        sign = SIGNS[look(first)]
        tail = f": {_short(first.message)}" if first.message else ""
        yield f"{sign} {word(first)} on {scale.where([cell.target for cell in cells])}{tail}"
        if first.changed:
            yield f"    stale: {few(first.changed)} changed since"
        for key, value in sorted(first.facts.items()):
            yield f"    {key} = {_short(msgspec.json.encode(value).decode())}"
        yield from (f"    warning: {_short(message)}" for message in first.deprecations)
    if not told["cells"]:
        yield f"{SIGNS[Look.NOT_RUN]} not run there yet"
