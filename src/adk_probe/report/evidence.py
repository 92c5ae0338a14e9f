"""Evidence as Markdown to paste into an issue of an engine or into a decision record."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence.cells import Cell
from adk_probe.model import Lane, Outcome, Probe, Target, TargetResult, python_order
from adk_probe.report import commands
from adk_probe.report.escape import code, fence, markdown, placeless
from adk_probe.report.standalone import standalone
from adk_probe.report.view import View, word

ISSUE, ADR = "issue", "adr"
SEEN = {
    Outcome.PASS: "The claim holds",
    Outcome.FAIL: "The claim is false",
    Outcome.ABSENT: "The release does not have what the claim is about",
    Outcome.ERROR: "There is no answer",
    Outcome.UNSUPPORTED: "The release rules this Python out",
    Outcome.UNAVAILABLE: "There was no such Python to try it on",
}


class Case(msgspec.Struct, frozen=True):
    """One cell with the evidence of its target; ``result`` is None where the target was never made."""

    cell: Cell
    result: TargetResult | None

    @property
    def target(self) -> Target:
        """The target that was asked."""
        return self.cell.target

    @property
    def pins(self) -> tuple[str, ...]:
        """What was installed there."""
        environment = self.result.environment if self.result else None
        return environment.pins if environment else ()


class Subject(msgspec.Struct, frozen=True):
    """All that one text is made from; ``other`` is the case to compare with."""

    root: Path
    view: View
    probe: Probe
    case: Case
    other: Case | None = None


def subject(
    root: Path,
    view: View,
    results: Mapping[str, TargetResult],
    probe: str,
    release: str,
    against: str | None = None,
    pythons: Sequence[str] | None = None,
    lane: Lane | None = None,
    engine: str | None = None,
) -> Subject:
    """Find the evidence that a text is about.

    Args:
        root: the project's folder.
        results: all evidence, by target key.
        release: a version, or ``newest``; ``against`` is another to compare with.
        pythons: those to look at, like ``3.12``; of them the newest one with an answer is taken.
        lane: by default that of today.

    Raises:
        InputError: there is no such probe, release or engine.
        EvidenceError: the probe was never run there.
    """
    declared = view.catalog.probe(probe, engine)
    lane = lane or Lane.TODAY
    case = _case(view, results, declared, release, pythons, lane)
    other = _case(view, results, declared, against, (case.target.python,), lane) if against else None
    return Subject(root, view, declared, case, other)


def _case(
    view: View,
    results: Mapping[str, TargetResult],
    probe: Probe,
    release: str,
    pythons: Sequence[str] | None,
    lane: Lane,
) -> Case:
    chosen = view.releases.choose(probe.engine, release)
    if len(chosen) != 1:
        raise InputError(f"--release {release}: means {len(chosen)} releases", "Name one version, or `newest`.")
    version = chosen[0].version
    cells = [
        cell
        for cell in view.judgement.cells
        if (cell.probe, cell.target.engine, cell.target.release, cell.target.lane)
        == (probe.id, probe.engine, version, lane)
        and (pythons is None or cell.target.python in pythons)
    ]
    if not cells:
        python = ", ".join(pythons or ())
        chosen_python = f" --python {pythons[0]}" if pythons and len(pythons) == 1 else ""
        options = f"--engine {probe.engine} --release {version}{chosen_python} --lane {lane}"
        raise EvidenceError(
            f"no evidence of {probe.id} on {probe.engine} {version}{f', Python {python}' if python else ''}, {lane}",
            f"`adk-probe run {options} --probe {probe.id}` would make it.",
        )
    cell = max(cells, key=lambda each: (_answered(each), python_order(each.target.python)))
    return Case(cell, results.get(cell.target.key))


def _answered(cell: Cell) -> bool:
    return cell.outcome in (Outcome.PASS, Outcome.FAIL, Outcome.ABSENT)


def render(about: Subject, form: str = ISSUE) -> str:
    """Return the Markdown: a bug report for ``issue``, a decision record after MADR for ``adr``.

    Raises:
        InputError: there is no such form.
    """
    forms = {ISSUE: _issue, ADR: _adr}
    if form not in forms:
        raise InputError(f"--format {form}: there is no such form", f"There are: {', '.join(forms)}.")
    return "\n".join(forms[form](about)).rstrip("\n") + "\n"


def _issue(about: Subject) -> Iterator[str]:
    cell = about.case.cell
    yield from (f"# {_name(about.case)}: {markdown(_summary(about))}", "")
    yield from ("## Expected", "", f"{_sentence(about.probe.claim)}", "", "## Actual", "", *_seen(about.case), "")
    if about.other is not None:
        yield from _compared(about.case, about.other)
    yield from _facts(cell)
    yield from ("## Reproduce", "", *_reproduce(about))
    yield from ("## Environment", "", *_environment(about.case))


def _adr(about: Subject) -> Iterator[str]:
    yield from (f"# {_sentence(about.probe.claim).rstrip('.')}: what to build on it", "")
    yield from ("- Status: proposed", "- Deciders: <!-- who -->", "- Date: <!-- when -->", "")
    yield from ("## Context and Problem Statement", "")
    yield from (f"May generated code rely on this claim on {_name(about.case)}?", "")
    yield from (f"> {_sentence(about.probe.claim)}", "")
    needing = [each.name for each in about.view.requirements if about.probe.id in each.probes]
    yield from ((f"Mechanisms that need it: {', '.join(map(code, needing))}.", "") if needing else ())
    yield from ("## Considered Options", "", *_options(needing), "")
    yield from ("## Evidence", "", *_seen(about.case), "")
    if about.other is not None:
        yield from _compared(about.case, about.other)
    yield from _facts(about.case.cell)
    yield from ("### Environment", "", *_environment(about.case), "### Reproduce", "", *_reproduce(about))
    yield from ("## Decision Outcome", "", "<!-- the option that was chosen, and why the evidence supports it -->", "")
    yield from ("### Consequences", "", "<!-- what becomes easier, what harder, and which release would change it -->")


def _options(needing: list[str]) -> Iterator[str]:
    yield "- rely on it"
    yield "- do without it, and generate nothing that needs it"
    if needing:
        yield "- waive it for a mechanism, with a reason, a link and an expiry"


def _name(case: Case) -> str:
    target = case.target
    return f"{markdown(target.engine)} {target.release} (Python {target.python}, {target.lane})"


def _sentence(claim: str) -> str:
    text = markdown(claim)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _summary(about: Subject) -> str:
    answers = {Outcome.PASS: "holds", Outcome.FAIL: "does not hold"}
    answer = answers.get(about.case.cell.outcome, word(about.case.cell))
    return f"“{about.probe.claim.rstrip('.')}” {answer}"


def _seen(case: Case) -> Iterator[str]:
    cell = case.cell
    kind = f" ({cell.kind})" if cell.kind else ""
    yield f"{SEEN[cell.outcome]} on {_name(case)}{kind}{':' if cell.message else '.'}"
    if cell.message:
        yield from ("", fence(placeless(cell.message)))
    if cell.changed:
        yield from ("", f"This evidence is stale: {', '.join(cell.changed)} changed since it was made.")


def _facts(cell: Cell) -> Iterator[str]:
    if cell.facts:
        yield from ("### Facts", "", fence(_json(cell.facts), "json"), "")
    if cell.warnings:
        lines = [f"{each.category} ({_origin(each.origin)}): {placeless(each.message)}" for each in cell.warnings]
        yield from ("### Warnings", "", fence("\n".join(lines)), "")


def _origin(origin: str) -> str:
    return "told to the caller" if origin == "probe" else "told to other code"


def _json(value: Any) -> str:
    return placeless(msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2).decode())


def _environment(case: Case) -> Iterator[str]:
    target = case.target
    yield f"- {markdown(target.engine)} {target.release}"
    environment = case.result.environment if case.result else None
    if environment is None:
        yield from (f"- Python {target.python}", f"- lane: {target.lane}", "")
        return
    yield f"- {environment.implementation} {environment.python} ({markdown(environment.build)})"
    yield from (f"- {markdown(environment.platform)}", f"- dependencies: {_lane(target.lane)}", "")
    title = f"{len(environment.pins)} pinned packages"
    yield from _folded(title, fence("\n".join(environment.pins)))


def _lane(lane: Lane) -> str:
    return "as on the day after the release" if lane is Lane.AS_RELEASED else "the newest of the day of the run"


def _folded(title: str, body: str) -> Iterator[str]:
    yield from (f"<details><summary>{title}</summary>", "", body, "", "</details>", "")


def _reproduce(about: Subject) -> Iterator[str]:
    view, target = about.view, about.case.target
    engine = view.config.engines[target.engine]
    if about.probe.arguments:
        # it runs a complete project, which does not fit into a single script
        yield from ("In a checkout of adk-probe:", "", fence(view.command(target, about.probe.id), "sh"), "")
        return
    file = f"{about.probe.id.replace('/', '-')}.py"
    newest = commands.newest_upload(view.releases, target)
    script = standalone(about.root, engine, about.probe, commands.requirement(engine, target.release), newest)
    yield f"Save the script as {code(file, in_table=False)} and run it: uv installs the release."
    yield from ("What it checks needs neither a key nor a network.", "")
    yield from (fence(f"uv run --no-project --python {target.python} {file}", "sh"), "")
    yield from ("Or, in a checkout of adk-probe:", "", fence(view.command(target, about.probe.id), "sh"), "")
    yield from _folded("the stand-alone script", fence(script, "python"))


def _compared(case: Case, other: Case) -> Iterator[str]:
    yield from (f"### Compared with {_name(other)}", "", *_seen(other), "")
    one, two = _json(other.cell.facts), _json(case.cell.facts)
    yield from _difference("Facts", one, two, other, case)
    yield from _difference("Pins", "\n".join(other.pins), "\n".join(case.pins), other, case)


def _difference(what: str, one: str, two: str, old: Case, new: Case) -> Iterator[str]:
    if one == two:
        yield from (f"{what} are the same.", "")
        return
    names = old.target.release, new.target.release
    around = 0 if what == "Pins" else 2
    lines = difflib.unified_diff(one.splitlines(), two.splitlines(), *names, n=around, lineterm="")
    yield from _folded(f"{what} that differ", fence("\n".join(lines), "diff"))
