"""Which releases a choice means, and a file of releases that is broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_probe.errors import EvidenceError, InputError, ProbeError
from adk_probe.files import to_json
from adk_probe.model import RELEASES_SCHEMA, Release
from adk_probe.project import releases
from adk_probe.project.config import release_fault
from adk_probe.project.releases import Releases

ROWS = (
    Release("1.9", "2024-01-01T00:00:00Z"),
    Release("1.10", "2024-01-02T00:00:00Z"),
    Release("1.11", "2024-01-03T00:00:00Z", yanked=True),
    Release("2.0rc1", "2024-01-04T00:00:00Z"),
    Release("2.0", "2024-01-05T00:00:00Z", ">=3.10"),
    Release("2.1.dev3", "2024-01-06T00:00:00Z"),
    Release("2.1.post1", "2024-01-07T00:00:00Z"),
    Release("3.0a1", "2024-01-08T00:00:00Z"),
)
KNOWN = Releases(RELEASES_SCHEMA, {"one": ROWS, "none": ()})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("newest", ["2.1.post1"]),
        ("1.9", ["1.9"]),
        ("1.9.0", ["1.9"]),
        ("==1.10", ["1.10"]),
        (">=1.10", ["1.10", "2.0", "2.1.post1"]),
        (">=1.10,<2", ["1.10"]),
        ("==1.*", ["1.9", "1.10"]),
        ("~=1.9", ["1.9", "1.10"]),
        ("!=2.0", ["1.9", "1.10", "2.1.post1"]),
        ("1.11", ["1.11"]),
        ("==2.0rc1", ["2.0rc1"]),
        ("2.1.dev3", ["2.1.dev3"]),
        ("===3.0a1", ["3.0a1"]),
        (" 2.0 ", ["2.0"]),
    ],
)
def test_choice(text: str, expected: list[str]) -> None:
    assert [release.version for release in KNOWN.choose("one", text)] == expected


@pytest.mark.parametrize("text", ["9.9", ">3", "==3.*", "===nonsense", ">=2.1.dev1,<2.1.dev9", ">3.0a0"])
def test_choice_of_nothing(text: str) -> None:
    with pytest.raises(InputError, match=r"(?s)no release of one is .*Known are 1\.9 to 3\.0a1"):
        KNOWN.choose("one", text)


def test_engine_without_releases() -> None:
    for name in ("none", "never-heard-of"):
        with pytest.raises(InputError, match="releases --update"):
            KNOWN.choose(name, "newest")


@given(text=st.text("0123456789.*=<>!~,+ab-rcpostdev ", max_size=12))
@settings(max_examples=400, deadline=None)
def test_any_text_chooses_or_is_an_input_error(text: str) -> None:
    if release_fault(text) is not None:
        return
    try:
        chosen = KNOWN.choose("one", text)
    except InputError:
        return
    assert chosen
    assert set(chosen) <= set(ROWS)
    # what a user did not name is never yanked or a pre-release
    assert len(chosen) == 1 or all(release.final for release in chosen)


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "releases.json"
    with pytest.raises(InputError, match="no such file"):
        releases.load(path)
    path.write_bytes(to_json(KNOWN))
    assert releases.load(path) == KNOWN
    path.write_bytes(to_json(KNOWN).replace(b"releases/1", b"releases/9"))
    with pytest.raises(EvidenceError, match="schema is"):
        releases.load(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(EvidenceError, match="cannot be read"):
        releases.load(path)


DATA = to_json(KNOWN)


@given(place=st.integers(0, len(DATA)), length=st.integers(0, 40), put_in=st.binary(max_size=20))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_mutated_file_is_read_or_named(tmp_path: Path, place: int, length: int, put_in: bytes) -> None:
    path = tmp_path / "releases.json"
    path.write_bytes(DATA[:place] + put_in + DATA[place + length :])
    try:
        found = releases.load(path)
        for name in found.engines:
            found.choose(name, "newest")
    except ProbeError:
        pass


def test_version_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "releases.json"
    path.write_bytes(DATA.replace(b'"1.9"', b'"nonsense"'))
    with pytest.raises(EvidenceError, match="nonsense"):
        releases.load(path)


def test_upload_time_after_which_there_is_no_day(tmp_path: Path) -> None:
    path = tmp_path / "releases.json"
    path.write_bytes(DATA.replace(ROWS[0].uploaded.encode(), b"9999-12-31T12:00:00Z"))
    with pytest.raises(EvidenceError, match=r"releases\.json: one .*date"):
        releases.load(path)


def test_cutoff() -> None:
    assert releases.cutoff("2024-02-28T23:30:00Z") == "2024-02-29T23:30:00Z"
