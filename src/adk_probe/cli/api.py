"""``adk-probe api``: what of one release's public API another one does not offer, told without importing either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import click
import msgspec

from adk_probe.cli.shared import GOOD, INCOMPLETE, REFUSED, Context, check_release, options, put
from adk_probe.errors import InputError
from adk_probe.evidence.api_changes import BREAKING, Change, Comparison, Kind
from adk_probe.execution.kept_wheels import surface_of
from adk_probe.machine.state import Local
from adk_probe.project.folder import Project
from adk_probe.report.escape import one_line

API_SCHEMA = "adk-probe.api/1"
SHOWN = 30
"""Lines of differences that a screen holds beside what stands above and below them."""


class Api(msgspec.Struct, frozen=True):
    """The answer: the differences, the worst first, and how many public symbols each release has."""

    schema: str
    engine: str
    old: str
    new: str
    symbols: tuple[int, int]
    changes: tuple[Change, ...]


@click.command()
@options("engine", "json")
@click.option("--from", "old", required=True, help="The release that is used now, like 1.39.1.")
@click.option("--to", "new", default="newest", show_default=True, help="The release to go to: a version, or `newest`.")
@click.option("--all", "everything", is_flag=True, help="Show every difference, not only a screen of them.")
@click.pass_obj
def api(context: Context, /, engine: str | None, as_json: bool, old: str, new: str, everything: bool) -> int:
    """Say which public symbols of a release are gone, moved, called otherwise or deprecated in another one.

    Reads the wheels of both and imports neither. Exit 0 if nothing is gone, moved or called otherwise, 1 if something
    is, 3 if that cannot be told.
    """
    project = context.project()
    name = project.config.engine(engine)
    before, after = version_of(project, name, "--from", old), version_of(project, name, "--to", new)
    comparison = compared_api(project, name, before, after)
    symbols = len(list(comparison.old.symbols())), len(list(comparison.new.symbols()))
    found = Api(API_SCHEMA, name, before, after, symbols, tuple(comparison.run()))
    put(found, as_json, lambda: text(found, len(found.changes) if everything else SHOWN))
    if any(change.kind in BREAKING for change in found.changes):
        return REFUSED
    return INCOMPLETE if any(change.kind is Kind.UNCLEAR for change in found.changes) else GOOD


def version_of(project: Project, engine: str, option: str, text: str) -> str:
    """Return the version of the one release that a text means; raises InputError where it is none or several."""
    check_release(option, text)
    chosen = project.releases.choose(engine, text)
    if len(chosen) > 1:
        raise InputError(f"{option} {text}: means {len(chosen)} releases", "Name one version, or `newest`.")
    return chosen[0].version


def compared_api(project: Project, engine: str, old: str, new: str) -> Comparison:
    """Compare the public API of two releases; raises EvidenceError or InfrastructureError where a wheel is missing."""
    local, declared = Local(project.root), project.config.engines[engine]
    return Comparison(surface_of(local, declared, old), surface_of(local, declared, new))


def text(found: Api, most: int) -> str:
    """Return the differences in words, at most so many of them."""
    counts = Counter(str(change.kind) for change in found.changes)
    tally = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "nothing is gone or called otherwise"
    lines = [
        f"{found.engine} {found.old} → {found.new}: {found.symbols[0]} public symbols, then {found.symbols[1]}",
        f"  {tally}",
        *change_lines(found.changes[:most]),
    ]
    rest = len(found.changes) - most
    return "\n".join([*lines, *([f"and {rest} more: --all shows them"] if rest > 0 else [])])


def change_lines(changes: Sequence[Change], notes: Iterable[str] = ()) -> list[str]:
    """Return a heading for each kind and a line for each change, with a note behind it where there is one."""
    lines, kind = [], None
    extra = [*notes, *([""] * len(changes))]
    for change, note in zip(changes, extra, strict=False):
        if change.kind is not kind:
            kind = change.kind
            lines.append(str(kind))
        lines.append(f"  {_words(change)}{note}")
    return lines


def _words(change: Change) -> str:
    also = f" (and {len(change.also)} more paths of it)" if change.also else ""
    detail = one_line(change.detail, 120)
    between = " → " if change.kind is Kind.MOVED else ": "
    return f"{change.symbol}{also}{between + detail if detail else ''}"
