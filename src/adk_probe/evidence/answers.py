"""What one target answers to a question that can be compared across targets: a claim, a mechanism or a fact; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from adk_probe.errors import InputError
from adk_probe.evidence.cells import Cell
from adk_probe.evidence.judge import Judgement
from adk_probe.model import Outcome, Target, TargetResult, Verdict
from adk_probe.project.folder import Project
from adk_probe.project.requirements import requirements

TOLD = (Outcome.PASS, Outcome.FAIL)


class Subject(msgspec.Struct, frozen=True):
    """What is asked of each target.

    Attributes:
        name: a probe, a fidelity cell, a mechanism or ``mechanism+feature``.
        fact: of the probe, whose value is compared instead of the verdict; ``a.b`` is the key ``b`` of the fact ``a``.
        probes: what must run for an answer.
        row: mechanism and feature; None where a probe is asked about.
    """

    name: str
    engine: str
    fact: str
    probes: tuple[str, ...]
    row: tuple[str, str] | None = None


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one target answers.

    Attributes:
        look: the outcome (with the kind of an error) or the verdict, in a word or two.
        told: whether there is a value to compare. Where there is none, nobody can tell.
        value: ``pass`` or ``fail``, a mechanism's verdict, or the value of the fact.
        words: what the probe said, or why the verdict is what it is.
        ours: whether trouble of ours or a missing Python kept it from an answer, which says nothing of the release.
    """

    look: str
    told: bool = False
    value: Any = None
    words: str = ""
    ours: bool = False

    @property
    def key(self) -> bytes:
        """Bytes that are equal for equal values."""
        return msgspec.json.encode(self.value, order="deterministic")

    @property
    def signature(self) -> bytes:
        """Bytes that are equal for the same value, or for the same failure to answer; empty for trouble of ours."""
        if self.ours:
            return b""
        return b"=" + self.key if self.told else f"{self.look}: {self.words}".encode()


def subject_of(project: Project, name: str, engine: str | None, fact: str) -> Subject:
    """Return what a name and a fact ask about.

    Raises:
        InputError: there is no such name, or a fact of a mechanism is asked for.
    """
    name = name.strip()
    mechanism, _, feature = name.partition("+")
    if mechanism not in project.config.mechanisms:
        found = project.engine_of(name, engine)
        return Subject(name, found, fact, (name,))
    if fact:
        raise InputError(f"--fact {fact}: {name} is a mechanism, and facts are of probes", "Name a probe.")
    found = project.engine_of(mechanism, engine)
    rows = {row.name: row for row in requirements(project.config, project.catalog) if row.mechanism == mechanism}
    if name not in rows:
        raise InputError(f"no feature {feature!r} of {mechanism}", f"There are: {', '.join(rows)}.")
    return Subject(name, found, "", tuple(dict.fromkeys(rows[name].probes)), (mechanism, feature))


def answers(
    subject: Subject, judgement: Judgement, results: Mapping[str, TargetResult], targets: Iterable[Target]
) -> dict[Target, Answer]:
    """Return the answers of targets whose evidence is fresh; the others are left out.

    Args:
        judgement: of all evidence, its age looked at.
        results: the evidence by target key; only asked where a fact is compared.
    """
    wanted = {target for target in targets if target.key not in {*judgement.aged, *judgement.unreadable}}
    needed = set(subject.probes)
    cells: dict[Target, dict[str, Cell]] = {}
    for cell in judgement.cells:
        if cell.probe in needed and cell.target in wanted and not cell.changed:
            cells.setdefault(cell.target, {})[cell.probe] = cell
    if subject.row is not None:
        return _verdicts(subject, judgement, cells)
    found = {target: own[subject.name] for target, own in cells.items() if subject.name in own}
    if subject.fact:
        return {target: _fact(subject, cell, results.get(target.key)) for target, cell in found.items()}
    return {target: _claim(cell) for target, cell in found.items()}


def _claim(cell: Cell) -> Answer:
    if cell.outcome in TOLD:
        return Answer(str(cell.outcome), True, str(cell.outcome), cell.message)
    look = f"{cell.outcome} ({cell.kind})" if cell.kind else str(cell.outcome)
    return Answer(look, words=cell.message, ours=not cell.settled)


def _fact(subject: Subject, cell: Cell, result: TargetResult | None) -> Answer:
    claim = _claim(cell)
    if not claim.told:
        return claim
    seen = next((each for each in result.cells if each.probe == cell.probe), None) if result else None
    found = lookup(seen.facts if seen else {}, subject.fact)
    if not found:
        return msgspec.structs.replace(claim, told=False, value=None, words=f"it has no fact {subject.fact!r}")
    return msgspec.structs.replace(claim, value=found[0])


def lookup(facts: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    """Return the one value of a fact, or nothing; ``a.b`` is the key ``b`` of the fact ``a``."""
    if name in facts:
        return (facts[name],)
    head, _, rest = name.partition(".")
    inner = facts.get(head)
    return lookup(inner, rest) if rest and isinstance(inner, dict) else ()


def fact_fault(subject: Subject, results: Iterable[TargetResult]) -> str:
    """Return why a fact cannot be compared, as far as evidence tells; empty where it can, or nothing is known."""
    known: set[str] = set()
    measured: set[str] = set()
    for result in results:
        if result.target.engine == subject.engine:
            for cell in result.cells:
                if cell.probe == subject.name:
                    if lookup(cell.facts, subject.fact):
                        return ""
                    known |= cell.facts.keys()
            if subject.name in result.run.cells:
                measured |= result.run.cells[subject.name].facts.keys()
    if subject.fact.partition(".")[0] in measured:
        return "is measured, so it varies from run to run"
    return f"there is no such fact; there are {', '.join(sorted(known))}" if known else ""


def _verdicts(
    subject: Subject, judgement: Judgement, cells: Mapping[Target, Mapping[str, Cell]]
) -> dict[Target, Answer]:
    found = {}
    for row in judgement.mechanisms:
        if (row.mechanism, row.feature) != subject.row or row.target not in cells:
            continue
        words = row.reasons[0] if row.reasons else ""
        seen = cells[row.target]
        if row.verdict is not Verdict.UNPROVEN:
            found[row.target] = Answer(str(row.verdict), True, str(row.verdict), words)
        elif all(probe in seen for probe in row.because):
            # all that leaves the doubt is fresh, so running it again would not end it
            ours = any(not seen[probe].settled for probe in row.because)
            found[row.target] = Answer(str(row.verdict), words=words, ours=ours)
    return found
