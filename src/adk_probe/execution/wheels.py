"""Whether a file is broken as the index has it, or was broken on its way here: the one is a release's fault.

What is not known for certain is no release's fault.
"""

from __future__ import annotations

import csv
import hashlib
import io
import struct
import tempfile
import zipfile
import zlib
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version
from pypi_simple import DistributionPackage, NoSuchProjectError

from adk_probe.machine.verify import ALGORITHMS, urlsafe
from adk_probe.project.index import REQUEST_SECONDS, UNANSWERED, client

UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, ValueError)


def published_fault(distribution: str, version: str, filename: str = "") -> str:
    """Say what is wrong with a wheel as the index has it.

    The wheel is fetched once more and must have the hash that the index promises.

    Returns:
        What is wrong, or nothing: it is good, it does not arrive whole, or nobody can tell which file is meant.
    """
    try:
        with client() as asked, tempfile.TemporaryDirectory(prefix="adk-probe-") as folder:
            page = asked.get_project_page(distribution, timeout=REQUEST_SECONDS)
            wheels = [package for package in page.packages if is_wheel_of(package, version, filename)]
            if len(wheels) != 1:
                return ""
            path = Path(folder) / wheels[0].filename
            asked.download_package(wheels[0], path, verify=True, timeout=REQUEST_SECONDS)
            return fault(path)
    except (NoSuchProjectError, *UNANSWERED, OSError):
        return ""


def vouched_metadata(distribution: str, version: str) -> bool:
    """Whether the index gives the hash of a version's metadata, so that uv has read what was published."""
    try:
        with client() as asked:
            page = asked.get_project_page(distribution, timeout=REQUEST_SECONDS)
    except (NoSuchProjectError, *UNANSWERED, OSError):
        return False
    wheels = [package for package in page.packages if is_wheel_of(package, version)]
    return bool(wheels) and all(package.metadata_digests for package in wheels)


def is_wheel_of(package: DistributionPackage, version: str, filename: str = "") -> bool:
    """Whether a file of an index is a wheel of a version, and has the name, if one is given."""
    if package.package_type != "wheel" or (filename and package.filename != filename):
        return False
    try:
        return Version(package.version or "") == Version(version)
    except InvalidVersion:
        return False


def fault(path: Path) -> str:
    """Say what is wrong with a wheel by the rules of wheels; empty where nothing is."""
    try:
        with zipfile.ZipFile(path) as archive:
            if broken := archive.testzip():
                return f"{broken} in it has another checksum"
            return _content_fault(archive, path.name)
    except UNREADABLE as error:
        return f"it cannot be read ({type(error).__name__})"


def _content_fault(archive: zipfile.ZipFile, filename: str) -> str:
    names = archive.namelist()
    infos = {name.split("/")[0] for name in names if name.split("/")[0].endswith(".dist-info")}
    if len(infos) != 1:
        return f"it has {len(infos)} folders .dist-info"
    (info,) = infos
    for needed in ("WHEEL", "METADATA", "RECORD"):
        if f"{info}/{needed}" not in names:
            return f"it has no {needed}"
    if not _headers(archive, f"{info}/WHEEL").get("Wheel-Version", "").startswith("1."):
        return "its WHEEL has no Wheel-Version that is known"
    name, version, *_ = parse_wheel_filename(filename)
    metadata = _headers(archive, f"{info}/METADATA")
    said = canonicalize_name(metadata.get("Name", "")), metadata.get("Version", "")
    if said[0] != name or Version(said[1]) != version:
        return f"its METADATA is of {said[0] or 'nothing'} {said[1]}".rstrip()
    return _record_fault(archive, f"{info}/RECORD")


def _headers(archive: zipfile.ZipFile, name: str) -> Message:
    return BytesParser().parsebytes(archive.read(name), headersonly=True)


def _record_fault(archive: zipfile.ZipFile, record: str) -> str:
    try:
        rows = list(csv.reader(io.StringIO(archive.read(record).decode("utf-8"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        return "its RECORD cannot be read"
    names = set(archive.namelist())
    for path, said, *_ in (row for row in rows if len(row) > 1):
        algorithm, _, value = said.partition("=")
        if path in names and algorithm in ALGORITHMS:
            found = urlsafe(hashlib.new(algorithm, archive.read(path)).digest())
            if found != value:
                return f"{path} in it is not what its RECORD says"
    return ""
