"""Ask the package index for the releases of engines, only on request."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from datetime import UTC
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pypi_simple import (
    ACCEPT_JSON_PREFERRED,
    DistributionPackage,
    NoSuchProjectError,
    PyPISimple,
    UnsupportedContentTypeError,
    UnsupportedRepoVersionError,
)
from requests import RequestException

from adk_probe.errors import InfrastructureError, InputError
from adk_probe.files import to_json, write_atomic
from adk_probe.machine.surroundings import index_address
from adk_probe.model import RELEASES_SCHEMA, Release
from adk_probe.project.config import Engine
from adk_probe.project.releases import Releases

REQUEST_SECONDS = 60
# a broken answer is a ValueError of the JSON or HTML reader
UNANSWERED = (RequestException, UnsupportedContentTypeError, UnsupportedRepoVersionError, ValueError)


def update(path: Path, engines: dict[str, Engine]) -> Releases:
    """Ask the package index for every engine's releases and write them to ``path``.

    The index is the one that uv and pip are set to (``UV_DEFAULT_INDEX``, ``UV_INDEX_URL``,
    ``PIP_INDEX_URL``), else PyPI. Its address is not kept.

    Raises:
        InfrastructureError: the index does not answer; the file stays as it was.
        InputError: the index has no such distribution.
    """
    found = {name: ask(engine.distribution) for name, engine in sorted(engines.items())}
    today = datetime.datetime.now(UTC).date().isoformat()
    releases = Releases(RELEASES_SCHEMA, found, today)
    write_atomic(path, to_json(releases))
    return releases


def ask(distribution: str) -> tuple[Release, ...]:
    """Return the releases of one distribution, oldest first; raises as :func:`update` does."""
    hint = "reports/releases.json is as it was; try again, or set UV_DEFAULT_INDEX to an index that answers."
    try:
        with client() as asked:
            page = asked.get_project_page(distribution, timeout=REQUEST_SECONDS)
    except NoSuchProjectError:
        raise InputError(
            f"matrix.toml: the index has no distribution {distribution!r}",
            "Correct `distribution` of its engine.",
        ) from None
    except UNANSWERED as error:
        # the text of such an error holds the index's address, which must not be shown
        words = f"the package index does not answer for {distribution} ({type(error).__name__})"
        raise InfrastructureError(words, hint) from None
    found = _releases(page.packages)
    if not found:
        # a page of something else, like the log-in of a hotel's network, reads as one without files
        raise InfrastructureError(f"the package index names no release of {distribution}", hint)
    return found


def client() -> PyPISimple:
    """Return a client of the package index that the caller has set; to be closed."""
    return PyPISimple(index_address(), accept=ACCEPT_JSON_PREFERRED)


def _releases(packages: Iterable[DistributionPackage]) -> tuple[Release, ...]:
    files: dict[Version, list[DistributionPackage]] = {}
    for package in packages:
        try:
            files.setdefault(Version(package.version or ""), []).append(package)
        except InvalidVersion:
            continue
    return tuple(_release(version, files[version]) for version in sorted(files))


def _requirement(text: str | None) -> str:
    """Return what a file requires of Python; old releases have texts that are no specifier, which rule nothing out."""
    try:
        return text if text and list(SpecifierSet(text)) else ""
    except InvalidSpecifier:
        return ""


def _release(version: Version, files: list[DistributionPackage]) -> Release:
    uploads = [file.upload_time.astimezone(UTC) for file in files if file.upload_time]
    return Release(
        version=str(version),
        # the first file, since what is resolved as released may be no newer than a day after
        uploaded=min(uploads).strftime("%Y-%m-%dT%H:%M:%SZ") if uploads else "",
        requires_python=next((text for file in files if (text := _requirement(file.requires_python))), ""),
        yanked=all(file.is_yanked for file in files),
    )
