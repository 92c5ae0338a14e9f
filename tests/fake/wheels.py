"""Write wheels and sdists without a build tool: a wheel is a zip with three files of metadata."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence

import msgspec


class Dist(msgspec.Struct, frozen=True):
    """A file that an index serves, with what the index tells of it."""

    name: str
    filename: str
    data: bytes
    metadata: bytes
    uploaded: str
    requires_python: str = ""
    yanked: bool = False


def wheel(
    name: str,
    version: str,
    files: Mapping[str, str],
    uploaded: str,
    requires: Sequence[str] = (),
    requires_python: str = "",
    yanked: bool = False,
) -> Dist:
    """Return a pure wheel of ``files`` (path → text)."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    metadata = _metadata(name, version, requires, requires_python)
    tag = "Wheel-Version: 1.0\nGenerator: fake\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    every = {**files, f"{info}/METADATA": metadata, f"{info}/WHEEL": tag}
    record = "".join(f"{path},{_sum(text)},{len(text.encode())}\n" for path, text in every.items())
    every[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in every.items():
            archive.writestr(zipfile.ZipInfo(path, (2024, 1, 1, 0, 0, 0)), text)
    filename = f"{stem}-py3-none-any.whl"
    return Dist(name, filename, buffer.getvalue(), metadata.encode(), uploaded, requires_python, yanked)


def repacked(dist: Dist, change: Callable[[str, bytes], bytes | None]) -> Dist:
    """Return a wheel with members changed, or left out where ``change`` gives None; its RECORD is not told."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(dist.data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for member in old.infolist():
            data = change(member.filename, old.read(member))
            if data is not None:
                new.writestr(member, data)
    return msgspec.structs.replace(dist, data=buffer.getvalue())


def sdist(name: str, version: str, uploaded: str) -> Dist:
    """Return an sdist whose build would leave a mark: it must never be built."""
    stem = f"{name.replace('-', '_')}-{version}"
    setup = "raise SystemExit('an sdist was built')\n"
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, text in (("setup.py", setup), ("PKG-INFO", _metadata(name, version, (), ""))):
            member = tarfile.TarInfo(f"{stem}/{path}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return Dist(name, f"{stem}.tar.gz", buffer.getvalue(), b"", uploaded)


def _metadata(name: str, version: str, requires: Sequence[str], requires_python: str) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Requires-Python: {requires_python}"] if requires_python else []
    lines += [f"Requires-Dist: {one}" for one in requires]
    return "\n".join(lines) + "\n"


def _sum(text: str) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
