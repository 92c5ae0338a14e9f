"""Wheels of engines that are kept on this machine by their hash, and what was read of each."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version
from pypi_simple import DistributionPackage, NoSuchProjectError

from adk_probe.errors import EvidenceError, InfrastructureError
from adk_probe.evidence.surface import SURFACE_FORMAT, Surface
from adk_probe.execution.wheels import fault, is_wheel_of
from adk_probe.files import read_file, to_json, write_atomic
from adk_probe.machine.state import Local
from adk_probe.machine.surroundings import offline
from adk_probe.project.config import Engine
from adk_probe.project.index import REQUEST_SECONDS, UNANSWERED, client

AGAIN = "Try again when the index answers; UV_DEFAULT_INDEX names it."


def surface_of(local: Local, engine: Engine, version: str) -> Surface:
    """Return the names that a release offers, read from its wheel once.

    Raises:
        EvidenceError: the release has no wheel, or a broken one.
        InfrastructureError: the wheel cannot be had now.
    """
    wheel = next(_kept(local, engine.distribution, version), None) or _fetched(local, engine.distribution, version)
    path = local.folder / "api" / f"{wheel.parent.name[:32]}-{engine.import_}-{SURFACE_FORMAT}.json"
    try:
        return msgspec.json.decode(read_file(path), type=Surface)
    except (OSError, msgspec.DecodeError):
        pass
    # a third of a second, which no other command should pay
    from adk_probe.execution.api_reading import read

    try:
        surface = read(wheel, engine.import_)
    except (OSError, zipfile.BadZipFile) as error:
        raise EvidenceError(f"{wheel.name}: cannot be read ({type(error).__name__})", AGAIN) from None
    if not surface.modules:
        raise EvidenceError(f"{wheel.name}: has no module {engine.import_}", "Compare releases that have it.")
    write_atomic(path, to_json(surface))
    return surface


def _kept(local: Local, distribution: str, version: str) -> Iterator[Path]:
    """Yield the kept wheels of a release that are what their folder's name says."""
    for path in sorted((local.folder / "wheels").glob("*/*.whl")):
        try:
            name, found, *_ = parse_wheel_filename(path.name)
            same = name == canonicalize_name(distribution) and found == Version(version)
            if same and _sum(path) == path.parent.name:
                yield path
        except (InvalidWheelFilename, OSError):
            continue


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _fetched(local: Local, distribution: str, version: str) -> Path:
    """Fetch a wheel from the index and keep it; raises as :func:`surface_of` does."""
    named = f"the wheel of {distribution} {version}"
    if offline():
        raise InfrastructureError(f"{named} is not kept here, and UV_OFFLINE forbids the network", AGAIN)
    try:
        with client() as asked, tempfile.TemporaryDirectory(prefix="adk-probe-") as folder:
            page = asked.get_project_page(distribution, timeout=REQUEST_SECONDS)
            package = _best([each for each in page.packages if is_wheel_of(each, version)])
            if package is None:
                raise EvidenceError(f"{distribution} {version} has no wheel", "Compare releases that have one.")
            path = Path(folder) / package.filename
            asked.download_package(package, path, verify=bool(package.digests), timeout=REQUEST_SECONDS)
            if words := fault(path):
                raise EvidenceError(f"{package.filename}: {words}", "Compare another release, or try again.")
            kept = local.folder / "wheels" / _sum(path) / package.filename
            write_atomic(kept, path.read_bytes())
            return kept
    except NoSuchProjectError:
        raise EvidenceError(f"the index has no distribution {distribution!r}", AGAIN) from None
    except (*UNANSWERED, OSError) as error:
        # the text of such an error may hold the index's address
        raise InfrastructureError(f"{named} cannot be had ({type(error).__name__})", AGAIN) from None


def _best(packages: list[DistributionPackage]) -> DistributionPackage | None:
    """Return the wheel that fits every machine, else the first one: their modules are taken for the same."""
    return min(packages, key=lambda each: (not each.filename.endswith("-any.whl"), each.filename), default=None)
