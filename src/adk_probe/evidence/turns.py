"""What differs between two releases of an engine, and since which release; pure.

Two targets are compared that differ in their release alone. The history between them says since when: the first tested
release from which on every tested one gives the new answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from packaging.version import Version

from adk_probe.evidence.cells import Cell
from adk_probe.evidence.judge import Judged, Judgement
from adk_probe.model import VERDICT_RANK, Lane, Outcome, Target, Verdict

ANSWERS = (Outcome.PASS, Outcome.FAIL, Outcome.ABSENT)


class Consequence(StrEnum):
    """What a difference means for who upgrades; the worst first."""

    BREAKS = "breaks"
    DEPRECATED = "deprecated"
    DIFFERS = "differs"
    DOUBT = "doubt"
    WORKS = "works"


ORDER = tuple(Consequence)
KINDS = ("mechanism", "claim", "fact")


class Turn(msgspec.Struct, frozen=True):
    """One difference between two releases.

    Attributes:
        kind: ``mechanism``, ``claim`` or ``fact``.
        name: the row's name, the probe's id, or ``probe: fact``.
        what: the mechanism's sentence or the claim.
        was: the answer on the old release, in a word or as JSON, and ``now`` the one on the new.
        why: what was seen on the new release.
        since: the first tested release that has the new answer, from which on all tested ones have it.
        untested: known releases right before ``since`` that were not tested: it may have turned on one of these.
    """

    consequence: Consequence
    kind: str
    name: str
    what: str
    was: str
    now: str
    why: str
    since: str
    untested: tuple[str, ...] = ()


class Line(msgspec.Struct, frozen=True):
    """The tested targets of one engine, Python and lane, oldest release first, and the releases that are known."""

    targets: tuple[Target, ...]
    known: tuple[str, ...]


def line(judgement: Judgement, engine: str, python: str, lane: Lane, known: Iterable[str]) -> Line:
    """Return the tested targets that differ in their release alone."""
    targets = [
        target
        for target in judgement.targets
        if (target.engine, target.python, target.lane) == (engine, python, lane) and target.key in judgement.resolved
    ]
    ordered = sorted({*known, *(target.release for target in targets)}, key=Version)
    return Line(tuple(sorted(targets, key=lambda target: Version(target.release))), tuple(ordered))


def between(judgement: Judgement, history: Line, old: Target, new: Target, claims: Mapping[str, str]) -> list[Turn]:
    """Return every difference between two targets of a line, the worst consequence first.

    Args:
        claims: what each claim or mechanism says, by its name.
    """
    start, end = history.targets.index(old), history.targets.index(new)
    step = 1 if end >= start else -1
    path = history.targets[start : end + step : step] if end + step >= 0 else history.targets[start::step]
    found = [*_mechanisms(judgement, history, path, claims), *_claims(judgement, history, path, claims)]
    return sorted(found, key=lambda turn: (ORDER.index(turn.consequence), KINDS.index(turn.kind), turn.name))


def uncomparable(
    judgement: Judgement, old: Target, new: Target, claims: Iterable[str], scenarios: Iterable[str]
) -> tuple[str, ...]:
    """Return the claims and scenarios that one of two targets gives no fresh answer to: stale, never run, an error.

    A scenario may have been played on another Python of the same release and lane.
    """
    lacking: set[str] = set()
    for target in (old, new):
        own = {cell.probe for cell in judgement.cells if cell.target == target and _answers(cell)}
        alike = {cell.probe for cell in judgement.cells if _alike(cell.target, target) and _answers(cell)}
        lacking |= (set(claims) - own) | (set(scenarios) - alike)
    return tuple(sorted(lacking))


def _alike(one: Target, other: Target) -> bool:
    return (one.engine, one.release, one.lane) == (other.engine, other.release, other.lane)


def _mechanisms(
    judgement: Judgement, history: Line, path: Sequence[Target], claims: Mapping[str, str]
) -> Iterator[Turn]:
    rows: dict[str, dict[Target, Judged]] = {}
    for row in judgement.mechanisms:
        rows.setdefault(row.name, {})[row.target] = row
    for name, found in sorted(rows.items()):
        before, after = found.get(path[0]), found.get(path[-1])
        if before is None or after is None or before.verdict is after.verdict:
            continue

        def verdict(target: Target, found: Mapping[Target, Judged] = found) -> Verdict | None:
            return found[target].verdict if target in found else None

        since, untested = _since(history, path, verdict)
        why = "; ".join(after.reasons[:2])
        yield Turn(
            _verdict_consequence(before.verdict, after.verdict),
            "mechanism",
            name,
            claims.get(after.mechanism, ""),
            str(before.verdict),
            str(after.verdict),
            why,
            since,
            untested,
        )


def _verdict_consequence(was: Verdict, now: Verdict) -> Consequence:
    if now is Verdict.UNPROVEN or (was is Verdict.UNPROVEN and now is not Verdict.ALLOWED):
        return Consequence.DOUBT
    if VERDICT_RANK.index(now) < VERDICT_RANK.index(was):
        return Consequence.WORKS
    return Consequence.DEPRECATED if now is Verdict.DEPRECATED else Consequence.BREAKS


def _claims(judgement: Judgement, history: Line, path: Sequence[Target], claims: Mapping[str, str]) -> Iterator[Turn]:
    wanted = set(path)
    cells: dict[str, dict[Target, Cell]] = {}
    for cell in judgement.cells:
        if cell.target in wanted and cell.probe in claims:
            cells.setdefault(cell.probe, {})[cell.target] = cell
    for probe, found in sorted(cells.items()):
        before, after = found.get(path[0]), found.get(path[-1])
        if before is None or after is None or not (_answers(before) and _answers(after)):
            continue

        def answer(target: Target, found: Mapping[Target, Cell] = found) -> str | None:
            cell = found.get(target)
            return _word(cell) if cell is not None and _answers(cell) else None

        if answer(path[0]) != answer(path[-1]):
            since, untested = _since(history, path, answer)
            why = after.deprecations[0] if after.outcome is before.outcome and after.deprecations else after.message
            consequence = _claim_consequence(before, after)
            yield Turn(consequence, "claim", probe, claims[probe], _word(before), _word(after), why, since, untested)
        elif after.outcome is Outcome.PASS:
            yield from _facts(history, path, probe, claims[probe], found)


def _answers(cell: Cell) -> bool:
    return cell.outcome in ANSWERS and not cell.changed


def _word(cell: Cell) -> str:
    words = {Outcome.PASS: "true", Outcome.FAIL: "false", Outcome.ABSENT: "not there"}
    return (
        f"{words[cell.outcome]}, deprecated"
        if cell.deprecations and cell.outcome is Outcome.PASS
        else words[cell.outcome]
    )


def _claim_consequence(before: Cell, after: Cell) -> Consequence:
    if after.outcome is before.outcome:
        return Consequence.DEPRECATED if after.deprecations else Consequence.WORKS
    if after.outcome is Outcome.PASS:
        return Consequence.WORKS
    # what was never true cannot break
    return Consequence.BREAKS if before.outcome is Outcome.PASS else Consequence.DIFFERS


def _facts(
    history: Line, path: Sequence[Target], probe: str, claim: str, found: Mapping[Target, Cell]
) -> Iterator[Turn]:
    """Yield the facts of a claim that stayed true and whose value changed."""
    before, after = found[path[0]].facts, found[path[-1]].facts
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) == after.get(name):
            continue

        def value(target: Target, name: str = name) -> Any:
            cell = found.get(target)
            return (cell.facts.get(name),) if cell is not None and _answers(cell) else None

        since, untested = _since(history, path, value)
        was, now = _json(before.get(name)), _json(after.get(name))
        yield Turn(Consequence.DIFFERS, "fact", f"{probe}: {name}", claim, was, now, "", since, untested)


def _json(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _since(history: Line, path: Sequence[Target], answer: Callable[[Target], Any]) -> tuple[str, tuple[str, ...]]:
    """Return the release of a path from which on all that answer give the last one's answer, and the gap before it."""
    last = answer(path[-1])
    first, previous = path[-1], path[0]
    for target in reversed(path[:-1]):
        seen = answer(target)
        if seen is None:
            continue
        if seen != last:
            previous = target
            break
        first = target
    low, high = sorted((history.known.index(previous.release), history.known.index(first.release)))
    return first.release, history.known[low + 1 : high]
