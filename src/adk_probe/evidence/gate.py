"""Verdicts × ``gate.lock.json`` → what changed, and whether that is accepted."""

from __future__ import annotations

from pathlib import Path

import msgspec

from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence.cells import Cell
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.lock import Lock, save
from adk_probe.model import VERDICT_RANK, Outcome, Target

# from best to worst; an error is worse than a clear no, since it is no answer
CELL_RANK = (Outcome.PASS, Outcome.ABSENT, Outcome.FAIL, Outcome.UNSUPPORTED, Outcome.ERROR)


class Change(msgspec.Struct, frozen=True):
    """One way in which the evidence differs from the lock.

    Attributes:
        what: ``regressed``, ``fixed``, ``changed``, ``new``, ``missing`` or ``stale``; ``unknown`` where this
            machine could not ask, which never changes a verdict.
    """

    what: str
    target: str
    name: str
    was: str
    now: str

    def __str__(self) -> str:
        was, now = self.was or "not accepted yet", self.now or "no evidence"
        return f"{self.what:9} {self.name} on {self.target}: {was} → {now}"


def accepted(lock: Lock) -> tuple[Target, ...]:
    """Return the targets that a lock knows; a key that is none is passed over."""
    return tuple(target for key in sorted(lock.cells) if (target := Target.parse(key)) is not None)


def compare(judgement: Judgement, lock: Lock) -> list[Change]:
    """Return every difference between evidence and lock, by target and name; none for what was never run."""
    judgement = judgement.settled or judgement
    cells = {(cell.target.key, cell.probe): cell for cell in judgement.cells}
    changes = [
        change
        for key in sorted(cells.keys() | _keys(lock.cells))
        if (change := _cell(key, cells.get(key), lock.cells.get(key[0], {}).get(key[1], "")))
    ]
    changes += [
        Change("stale", key, "every cell", "", f"the evidence {words}") for key, words in sorted(judgement.aged.items())
    ]
    unsettled = {change.target for change in changes if change.what in ("unknown", "stale", "missing")}
    verdicts = {(row.target.key, row.name): row.verdict for row in judgement.mechanisms}
    for key in sorted(verdicts.keys() | _keys(lock.mechanisms)):
        target, name = key
        was, now = lock.mechanisms.get(target, {}).get(name, ""), verdicts.get(key)
        # what hangs on cells that are named already is not named twice
        if was == now or target in unsettled:
            continue
        what = _direction(was, now, VERDICT_RANK)
        changes.append(Change(what, target, f"mechanism {name}", was, now or ""))
    return changes


def _keys(table: dict[str, dict[str, str]]) -> set[tuple[str, str]]:
    return {(target, name) for target, names in table.items() for name in names}


def _cell(key: tuple[str, str], cell: Cell | None, was: str) -> Change | None:
    if cell is None:
        return Change("missing", *key, was, "")
    now = word(cell)
    if not cell.settled:
        return Change("unknown", *key, was, f"{now}: {cell.message}")
    if cell.changed:
        return Change("stale", *key, was, f"{now}, but {', '.join(cell.changed)} changed since")
    if was == now:
        return None
    return Change(_direction(was.split(":")[0], cell.outcome, CELL_RANK), *key, was, now)


def _direction(was: str, now: str | None, rank: tuple[str, ...]) -> str:
    if now is None:
        return "missing"
    if was not in rank:
        return "new"
    before, after = rank.index(was), rank.index(now)
    return "changed" if before == after else "regressed" if after > before else "fixed"


def word(cell: Cell) -> str:
    """Return an outcome as the lock holds it: with the kind of an error, and marked where deprecated."""
    if cell.kind is not None:
        return f"{cell.outcome}:{cell.kind}"
    return f"{cell.outcome}:deprecated" if cell.outcome is Outcome.PASS and cell.deprecations else str(cell.outcome)


def accept(path: Path, judgement: Judgement, lock: Lock, reason: str) -> Lock:
    """Write the evidence's verdicts as the accepted ones.

    What this machine could not ask stays as it was accepted before. What was never run is not accepted.

    Raises:
        InputError: no reason is given.
        EvidenceError: evidence is stale, or missing for a target of the suite.
    """
    if not reason.strip():
        raise InputError("--update needs a --reason", "Say in a sentence why the new verdicts are right.")
    judgement = judgement.settled or judgement
    stale = sorted({cell.target.label for cell in judgement.cells if cell.changed or cell.target.key in judgement.aged})
    if gone := stale + [target.label for target in judgement.missing]:
        raise EvidenceError(
            f"the evidence is not whole: {len(gone)} target(s) stale or never run, the first is {gone[0]}",
            "Run `adk-probe run` first; nothing was accepted.",
        )
    cells: dict[str, dict[str, str]] = {}
    for cell in judgement.cells:
        kept = word(cell) if cell.settled else lock.cells.get(cell.target.key, {}).get(cell.probe)
        if kept:
            cells.setdefault(cell.target.key, {})[cell.probe] = kept
    unsettled = {cell.target.key for cell in judgement.cells if not cell.settled}
    mechanisms: dict[str, dict[str, str]] = {}
    for row in judgement.mechanisms:
        key = row.target.key
        kept = lock.mechanisms.get(key, {}).get(row.name) if key in unsettled else row.verdict
        if kept:
            mechanisms.setdefault(key, {})[row.name] = str(kept)
    accepted = Lock(reason.strip(), cells, mechanisms)
    save(path, accepted)
    return accepted
