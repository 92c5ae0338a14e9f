"""Asking the index for releases; what it answers wrongly never touches the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake import engine, project
from fake.server import JSON, Index

from adk_probe.errors import InfrastructureError, InputError
from adk_probe.project import index, releases
from adk_probe.project.config import Engine

ENGINES = {"fake-engine": Engine("fake-engine", "fake_engine", "probes/fake")}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    with Index(engine.dists()) as found:
        for name in ("UV_INDEX_URL", "PIP_INDEX_URL"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("UV_DEFAULT_INDEX", found.address)
        yield found


def test_update(served: Index, tmp_path: Path) -> None:
    path = tmp_path / "releases.json"
    found = index.update(path, ENGINES)
    assert releases.load(path) == found
    assert list(found.of("fake-engine")) == project.releases()
    rows = {release.version: release for release in found.of("fake-engine")}
    assert rows["1.8"].yanked
    assert rows["1.7"].requires_python == "==2.7.*"
    assert rows["2.0"].uploaded == "2024-08-10T12:00:00Z"
    assert [release.version for release in found.choose("fake-engine", "newest")] == ["2.0"]


def test_other_variables_name_the_index_too(served: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UV_DEFAULT_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", served.address)
    assert index.ask("fake-dep")


def test_html_alone_is_understood_without_upload_times(served: Index) -> None:
    page = b'<html><body><a href="/files/x-1.0-py3-none-any.whl">x-1.0-py3-none-any.whl</a></body></html>'
    served.answers["x"] = ("text/html", page)
    (found,) = index.ask("x")
    assert (found.version, found.uploaded) == ("1.0", "")


def test_yanked_only_when_every_file_is(served: Index) -> None:
    files = [
        {"filename": f"x-1.0-{tag}-none-any.whl", "url": "/f", "hashes": {}, "yanked": yanked, "upload-time": when}
        for tag, yanked, when in (("py2", True, "2024-02-02T00:00:00Z"), ("py3", False, "2024-02-01T01:02:03.5Z"))
    ]
    import msgspec

    page = {"meta": {"api-version": "1.1"}, "name": "x", "files": files}
    served.answers["x"] = (JSON, msgspec.json.encode(page))
    (found,) = index.ask("x")
    assert (found.yanked, found.uploaded) == (False, "2024-02-01T01:02:03Z")


ANSWERS = [
    (JSON, b""),
    (JSON, b"{"),
    (JSON, b"[]"),
    (JSON, b"null"),
    (JSON, b'{"meta": {"api-version": "9.0"}, "name": "fake-engine", "files": []}'),
    (JSON, b'{"meta": {}, "files": 3}'),
    (JSON, b'{"meta": {"api-version": "1.1"}, "name": "fake-engine", "files": [3]}'),
    (JSON, b"\xff\xfe"),
    ("text/plain", b"welcome to the hotel"),
    ("image/png", b"\x89PNG"),
    ("text/html", b"<html>log in to the hotel's network"),
    (JSON, b'{"meta": {"api-version": "1.1"}, "name": "fake-engine", "files": []}'),
]


@pytest.mark.parametrize(("kind", "data"), ANSWERS)
def test_nonsense_keeps_the_file(served: Index, tmp_path: Path, kind: str, data: bytes) -> None:
    path = tmp_path / "releases.json"
    index.update(path, ENGINES)
    before = path.read_bytes()
    served.answers["fake-engine"] = (kind, data)
    with pytest.raises(InfrastructureError) as caught:
        index.update(path, ENGINES)
    assert "127.0.0.1" not in str(caught.value)
    assert path.read_bytes() == before


def test_dead_index_keeps_the_file(served: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "releases.json"
    index.update(path, ENGINES)
    before = path.read_bytes()
    with Index([]) as dead:
        address = dead.address
    monkeypatch.setenv("UV_DEFAULT_INDEX", address)
    with pytest.raises(InfrastructureError, match="does not answer for fake-engine") as caught:
        index.update(path, ENGINES)
    assert "127.0.0.1" not in str(caught.value)
    assert path.read_bytes() == before


def test_distribution_that_is_not_there(served: Index, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no distribution 'nowhere'"):
        index.update(tmp_path / "releases.json", {"one": Engine("nowhere", "nowhere", "probes/one")})
    assert not list(tmp_path.iterdir())
