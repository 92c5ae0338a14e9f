"""The releases of engines, as ``reports/releases.json`` keeps them; asks nobody."""

from __future__ import annotations

import contextlib
import datetime
from pathlib import Path

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from adk_probe.errors import EvidenceError, InputError
from adk_probe.files import read_file, reason
from adk_probe.model import RELEASES_SCHEMA, Release
from adk_probe.project.config import NEWEST, specifier


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
        known = self.of(engine)
        final = [release for release in known if release.final]
        if text == NEWEST:
            found = final[-1:]
        else:
            chosen = specifier(text)
            found = [release for release in final if chosen.contains(release.version)]
            exact = _exact(chosen)
            if not found and exact is not None:
                found = [release for release in known if Version(release.version) == exact]
        if not found:
            raise InputError(
                f"reports/releases.json: no release of {engine} is {text}",
                f"Known are {known[0].version} to {known[-1].version}; "
                "`adk-probe releases --update` asks the index for newer ones.",
            )
        return tuple(found)

    def open_above(self, engine: str, text: str) -> bool:
        """Whether a release that comes after the newest known one could be among those that ``text`` chooses."""
        newest = next((Version(release.version) for release in reversed(self.of(engine)) if release.final), None)
        if text == NEWEST or newest is None:
            return True
        major, minor, micro = newest.major, newest.minor, newest.micro
        following = (f"{major}.{minor}.{micro + 1}", f"{major}.{minor + 1}", f"{major + 1}", f"{major + 1000}")
        return any(specifier(text).contains(version) for version in following)


def _exact(chosen: SpecifierSet) -> Version | None:
    parts = list(chosen)
    if len(parts) == 1 and parts[0].operator in ("==", "===") and not parts[0].version.endswith(".*"):
        with contextlib.suppress(InvalidVersion):
            return Version(parts[0].version)
    return None


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
    try:
        _ = releases.asked and datetime.date.fromisoformat(releases.asked)
    except ValueError as error:
        raise EvidenceError(f"reports/{path.name}: asked: {error}", hint) from None
    for engine, rows in releases.engines.items():
        for row in rows:
            if (fault := _fault(row)) is not None:
                raise EvidenceError(f"reports/{path.name}: {engine} {row.version}: {fault}", hint)
    return releases


def _fault(release: Release) -> str | None:
    try:
        Version(release.version)
        if release.uploaded:
            uploaded = datetime.datetime.fromisoformat(release.uploaded)
            if uploaded.tzinfo is None:
                return "its upload time has no time zone"
            # the lane `as-released` ends a day later, which must be a date too
            uploaded + datetime.timedelta(days=1)
    except (ValueError, OverflowError) as error:
        return str(error)
    return None


def cutoff(uploaded: str) -> str:
    """Return the time a day after an upload, before which the lane ``as-released`` resolves."""
    return (datetime.datetime.fromisoformat(uploaded) + datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
