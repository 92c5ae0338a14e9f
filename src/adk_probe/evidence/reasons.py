"""Why a mechanism has its verdict, each reason once over all targets and claims that share it; pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from adk_probe.evidence.judge import Judged
from adk_probe.model import Target
from adk_probe.ranges import Scale

# with the one more that takes no more room than a number, at most five
CLAIMS_NAMED = 4


class Reason(msgspec.Struct, frozen=True):
    """One thing that speaks against a mechanism.

    Attributes:
        claims: the probes that show it; none where it is about a target as a whole.
        where: the targets in words.
    """

    claims: tuple[str, ...]
    text: str
    where: str
    targets: tuple[Target, ...]

    def __str__(self) -> str:
        words = f"{few(self.claims)}: {self.text}" if self.claims else self.text
        return f"{words} ({self.where})" if self.where else words


def merged(rows: Iterable[Judged], scale: Scale) -> list[Reason]:
    """Return the reasons of verdicts: what several targets share once, and claims that say the same together."""
    targets: dict[tuple[str, str], list[Target]] = {}
    for row in rows:
        for claim, words in _split(row):
            targets.setdefault((claim, words), []).append(row.target)
    claims: dict[tuple[str, tuple[Target, ...]], list[str]] = {}
    for (claim, words), found in targets.items():
        claims.setdefault((words, tuple(found)), []).extend([claim] if claim else [])
    return [Reason(tuple(named), words, scale.where(at), at) for (words, at), named in claims.items()]


def _split(row: Judged) -> Iterable[tuple[str, str]]:
    """Yield the claim and the words of each reason; an empty claim where a reason is about no single one."""
    for reason in row.reasons:
        claim, found, words = reason.partition(": ")
        yield (claim, words) if found and claim in row.because else ("", reason)


def few(names: Iterable[str], most: int = CLAIMS_NAMED) -> str:
    """Return names in a row, the rest of many as a number."""
    every = list(names)
    shown = every if len(every) <= most + 1 else every[:most]
    rest = len(every) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
