"""Which changes of a public API meet the symbols that probes use; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from adk_probe.evidence.api_changes import ORDER, Change, Comparison, Kind
from adk_probe.project.uses import Use

PARAMETER = re.compile(r"parameter \**(\w+) (?!is new and required)")


class Affected(msgspec.Struct, frozen=True):
    """A change, and the probes that use what changes."""

    change: Change
    probes: tuple[str, ...]


def affected(comparison: Comparison, uses: Iterable[Use]) -> list[Affected]:
    """Return the changes of what probes use, the worst first; private symbols that a probe imports are looked at, too.

    A change of a member or of a parameter counts for those probes in which its name stands. What the old release does
    not have cannot be missed in the new one.
    """
    found: dict[Change, set[str]] = {}
    known: dict[str, list[Change]] = {}
    for use in uses:
        for symbol in use.symbols:
            if symbol not in known:
                known[symbol] = _changes(comparison, symbol)
            for change in known[symbol]:
                if _meets(change, use):
                    found.setdefault(change, set()).add(use.probe)
    every = [Affected(change, tuple(sorted(probes))) for change, probes in found.items()]
    return sorted(every, key=lambda each: (ORDER.index(each.change.kind), each.change.symbol, each.change.detail))


def _changes(comparison: Comparison, symbol: str) -> list[Change]:
    module, _, name = symbol.partition(":")
    before = comparison.old.find(module, name)
    return list(comparison.of(before.origin or f"{module}.{name}", [symbol])) if before else []


def _meets(change: Change, use: Use) -> bool:
    member = change.symbol.partition(":")[2].partition(".")[2]
    parameter = PARAMETER.match(change.detail) if change.kind is Kind.CALLED else None
    return (not member or member in use.words) and (parameter is None or parameter[1] in use.words)
