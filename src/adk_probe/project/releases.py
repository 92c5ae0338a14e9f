"""The releases of engines, as ``reports/releases.json`` keeps them; asks no index."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from adk_probe.errors import EvidenceError, InputError
from adk_probe.files import read_file, reason
from adk_probe.model import RELEASES_SCHEMA, Release, is_day
from adk_probe.project.specifiers import NEWEST, exact, reaches_beyond, specifier


class Releases(msgspec.Struct, frozen=True):
    """All of ``reports/releases.json``: each engine's releases, oldest first.

    Attributes:
        asked: the day (UTC, ISO 8601) on which the index named them; empty where that is not known.
    """

    schema: str
    engines: dict[str, tuple[Release, ...]]
    asked: str = ""

    def of(self, engine: str) -> tuple[Release, ...]:
        """Return an engine's releases.

        Raises:
            InputError: none are known.
        """
        if not self.engines.get(engine):
            raise InputError(
                f"reports/releases.json: no releases of {engine}",
                "Run `adk-probe releases --update` to ask the index.",
            )
        return self.engines[engine]

    def choose(self, engine: str, text: str) -> tuple[Release, ...]:
        """Return the releases that ``newest``, a version or a PEP 440 specifier chooses, oldest first.

        Yanked and pre-releases are chosen only where one is named exactly.

        Raises:
            InputError: nothing is chosen.
        """
        text = text.strip()
        known = self.of(engine)
        final = [release for release in known if release.final]
        if text == NEWEST:
            found = final[-1:]
        else:
            chosen = specifier(text)
            found = [release for release in final if chosen.contains(release.version)]
            named = exact(chosen)
            if not found and named is not None:
                found = [release for release in known if Version(release.version) == named]
        if not found:
            raise InputError(f"reports/releases.json: no release of {engine} is {text}", _instead(known, text))
        return tuple(found)

    def newest_line(self, engine: str) -> tuple[Release, ...]:
        """Return the pre-releases of the newest final release's major version and of all beyond it, oldest first."""
        known = self.of(engine)
        newest = next((Version(row.version) for row in reversed(known) if row.final), None)
        return tuple(
            row
            for row in known
            if not row.yanked
            and Version(row.version).is_prerelease
            and (newest is None or Version(row.version).major >= newest.major)
        )

    def open_above(self, engine: str, text: str) -> bool:
        """Whether a release that comes after the newest known one could be among those that ``text`` chooses."""
        newest = next((Version(release.version) for release in reversed(self.of(engine)) if release.final), None)
        return text.strip() == NEWEST or newest is None or reaches_beyond(specifier(text), newest)


class News(msgspec.Struct, frozen=True):
    """What the index says otherwise than before, of one engine: versions, oldest first."""

    new: tuple[str, ...] = ()
    yanked: tuple[str, ...] = ()
    uploaded_again: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.yanked or self.uploaded_again or self.gone)


def news(before: Releases | None, after: Releases) -> dict[str, News]:
    """Return what changed between two answers of the index, by engine; engines without news are left out."""
    found = {}
    for engine, rows in sorted(after.engines.items()):
        old = {row.version: row for row in (before.engines.get(engine, ()) if before else ())}
        known = [row for row in rows if row.version in old]
        each = News(
            tuple(row.version for row in rows if row.version not in old),
            tuple(row.version for row in known if row.yanked and not old[row.version].yanked),
            tuple(row.version for row in known if row.uploaded != old[row.version].uploaded),
            tuple(version for version in old if version not in {row.version for row in rows}),
        )
        if each:
            found[engine] = each
    return found


def _instead(known: Sequence[Release], text: str) -> str:
    """Return what to do where a text chooses no release."""
    chosen = SpecifierSet() if text == NEWEST else specifier(text)
    left_out = [each for each in known if chosen.contains(each.version, prereleases=True)]
    if left_out:
        last = left_out[-1]
        kind = "yanked" if last.yanked else "a pre-release"
        return f"{last.version} is {kind}, and such a release must be named exactly: --release {last.version}"
    return (
        f"Known are {known[0].version} to {known[-1].version}; "
        "`adk-probe releases --update` asks the index for newer ones."
    )


def load(path: Path) -> Releases:
    """Read ``reports/releases.json``.

    Raises:
        InputError: it is not there.
        EvidenceError: it cannot be read.
    """
    hint = "Run `adk-probe releases --update` to ask the index."
    try:
        releases = msgspec.json.decode(read_file(path), type=Releases)
    except FileNotFoundError:
        raise InputError(f"reports/{path.name}: there is no such file", hint) from None
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise EvidenceError(f"reports/{path.name}: cannot be read: {reason(error)}", hint) from None
    if releases.schema != RELEASES_SCHEMA:
        raise EvidenceError(f"reports/{path.name}: schema is {releases.schema!r}, not {RELEASES_SCHEMA!r}", hint)
    if fault := _day_fault(releases.asked):
        raise EvidenceError(f"reports/{path.name}: asked: {fault}", hint)
    for engine, rows in releases.engines.items():
        # equal versions can be found only if all of them are versions
        faulty = [f"{row.version}: {fault}" for row in rows if (fault := _fault(row))] or _repeated(rows)
        if faulty:
            raise EvidenceError(f"reports/{path.name}: {engine} {faulty[0]}", hint)
    return msgspec.structs.replace(
        releases, engines={engine: _ordered(rows) for engine, rows in releases.engines.items()}
    )


def _ordered(rows: Iterable[Release]) -> tuple[Release, ...]:
    # whatever order a file has, `newest` is the highest version
    return tuple(sorted(rows, key=lambda row: Version(row.version)))


def _repeated(rows: Iterable[Release]) -> list[str]:
    """Return which versions stand there more than once: two rows could say two things of one release."""
    pairs = itertools.pairwise(_ordered(rows))
    return [f"{two.version}: is there twice" for one, two in pairs if Version(one.version) == Version(two.version)]


def _day_fault(day: str) -> str:
    """Return why a day is none on which the index can have been asked; nothing is said of an empty one."""
    if not day:
        return ""
    if not is_day(day):
        return f"{day!r} is no day (YYYY-MM-DD)"
    # tomorrow's date is the same moment in another time zone
    latest = datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=1)
    return f"{day} is yet to come" if datetime.date.fromisoformat(day) > latest else ""


def _fault(release: Release) -> str:
    try:
        Version(release.version)
        SpecifierSet(release.requires_python)
        if release.uploaded:
            uploaded = datetime.datetime.fromisoformat(release.uploaded)
            if uploaded.tzinfo is None:
                return "its upload time has no time zone"
            # the lane `as-released` ends a day later, which must be a date too
            uploaded + datetime.timedelta(days=1)
    except InvalidSpecifier:
        return f"requires_python: {release.requires_python!r} is no PEP 440 specifier"
    except (ValueError, OverflowError) as error:
        return str(error)
    return ""


def cutoff(uploaded: str) -> str:
    """Return the time a day after an upload, before which the lane ``as-released`` resolves."""
    return (datetime.datetime.fromisoformat(uploaded) + datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
