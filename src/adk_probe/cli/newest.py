"""What ``adk-probe run --new`` runs and says: only releases that nobody has tested, and what the newest one changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from packaging.version import Version

from adk_probe.cli.citing import cited
from adk_probe.cli.upgrade import SHOWN, Upgrade, compared, markdown_text
from adk_probe.evidence import store
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.turns import line
from adk_probe.model import Target
from adk_probe.project.folder import Project
from adk_probe.project.plan import Planned

RELEASES_SUITE = "releases"


def untested(project: Project, planned: Sequence[Planned]) -> list[Planned]:
    """Return the planned targets of releases of which there is no evidence at all."""
    tested = {(result.target.engine, result.target.release) for result in store.load(project.root).results.values()}
    return [item for item in planned if (item.target.engine, item.target.release) not in tested]


def changed_first(project: Project, planned: Sequence[Planned]) -> list[Planned]:
    """Put the probes that use what changed since the newest tested release first, on the newest release of an engine.

    What changed is told by the wheels of both; where one cannot be had, the order stays.
    """
    tested = _by_engine(result.target for result in store.load(project.root).results.values())
    planned_releases = _by_engine(item.target for item in planned if item.fault is None)
    first: dict[tuple[str, str], set[str]] = {}
    for engine, versions in planned_releases.items():
        new = max(versions, key=Version)
        older = [version for version in tested.get(engine, ()) if Version(version) < Version(new)]
        if older:
            found = cited(project, engine, max(older, key=Version), new)
            first[engine, new] = {probe for each in found.changes for probe in each.probes}
    return [_reordered(item, first.get((item.target.engine, item.target.release), set())) for item in planned]


def _reordered(item: Planned, first: set[str]) -> Planned:
    return msgspec.structs.replace(item, probes=tuple(sorted(item.probes, key=lambda probe: probe.id not in first)))


def changes_of_newest(project: Project, judgement: Judgement, ran: Iterable[Target]) -> list[Upgrade]:
    """Compare the newest release among targets that ran with the tested one before it, by engine, Python and lane."""
    found = []
    newest = {engine: max(versions, key=Version) for engine, versions in _by_engine(ran).items()}
    for target in sorted(set(ran), key=lambda target: target.order):
        if target.release != newest[target.engine]:
            continue
        known = [release.version for release in project.releases.of(target.engine) if release.final]
        history = line(judgement, target.engine, target.python, target.lane, known).targets
        place = history.index(target) if target in history else 0
        if place > 0:
            pair = history[place - 1].release, target.release
            found.append(compared(project, judgement, target.engine, pair, target.python, target.lane))
    return found


def _by_engine(targets: Iterable[Target]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for target in targets:
        found.setdefault(target.engine, []).append(target.release)
    return found


def turned(found: Iterable[Upgrade]) -> bool:
    """Whether the verdict on a mechanism changed anywhere."""
    return any(turn.kind == "mechanism" for each in found for turn in each.turns)


def summary(found: Sequence[Upgrade]) -> str:
    """Return Markdown to paste: a chapter for each Python and lane in which something else came out."""
    if not found:
        return "No release is new: each has evidence already."
    chapters: dict[str, list[str]] = {}
    for each in found:
        head, _, body = markdown_text(each, SHOWN).partition("\n")
        chapters.setdefault(body, []).append(head.removeprefix("## "))
    return "\n\n".join("## " + "; ".join(heads) + "\n" + body for body, heads in chapters.items())


def default_suite(project: Project) -> str | None:
    """Return the suite that names all releases, if the project declares it."""
    return RELEASES_SUITE if RELEASES_SUITE in project.config.suites else None
