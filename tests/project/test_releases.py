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
from adk_probe.project.releases import Releases
from adk_probe.project.specifiers import release_fault

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
        (" 2.0 ", ["2.0"]),
    ],
)
def test_choice(text: str, expected: list[str]) -> None:
    assert [release.version for release in KNOWN.choose("one", text)] == expected


@pytest.mark.parametrize("text", ["9.9", ">3", "<1"])
def test_choice_of_nothing(text: str) -> None:
    with pytest.raises(InputError, match=r"(?s)no release of one is .*Known are 1\.9 to 3\.0a1"):
        KNOWN.choose("one", text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (">=1.11,<1.12", "1.11 is yanked, and such a release must be named exactly: --release 1.11"),
        (">=2.1.dev1,<2.1.dev9", "2.1.dev3 is a pre-release, and .*--release 2.1.dev3"),
        (">3.0a0", "3.0a1 is a pre-release"),
    ],
)
def test_a_range_of_what_must_be_named_exactly_says_so(text: str, told: str) -> None:
    with pytest.raises(InputError, match=f"(?s)no release of one is .*{told}"):
        KNOWN.choose("one", text)


@pytest.mark.parametrize(
    ("text", "open_above"),
    [
        ("newest", True),
        (">=1", True),
        (">=2.1,<2.2", True),
        (">=2.0,<2.2,!=2.1.1", True),
        (">=2.0,<2.2,!=2.1.1,!=2.1.2,!=2.1.3", True),
        (">=2.0,<2.1", False),
        ("==2.1.post1", False),
        ("<=2.1.post1", False),
        ("==2.*", True),
        (">=9", True),
    ],
)
def test_whether_a_newer_release_could_belong_to_a_range(text: str, open_above: bool) -> None:
    assert KNOWN.open_above("one", text) is open_above


def test_the_order_of_the_file_means_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, tuple(reversed(ROWS)))
    assert found.of("one") == ROWS


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (Release("2.0.0", ""), "one 2.0.0: is there twice"),
        (Release("9", "", ">=3.banana"), "one 9: requires_python: '>=3.banana' is no PEP 440 specifier"),
    ],
)
def test_a_row_that_cannot_be_believed_is_named(tmp_path: Path, row: Release, told: str) -> None:
    with pytest.raises(EvidenceError, match=told):
        read(tmp_path, (*ROWS, row))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("20240101", "'20240101' is no day"),
        ("2024-W49-2", "'2024-W49-2' is no day"),
        ("2999-01-01", "2999-01-01 is yet to come"),
    ],
)
def test_a_day_that_cannot_be_believed_is_named(tmp_path: Path, asked: str, told: str) -> None:
    with pytest.raises(EvidenceError, match=f"asked: {told}"):
        read(tmp_path, ROWS, asked)


def read(folder: Path, rows: tuple[Release, ...], asked: str = "") -> Releases:
    path = folder / "releases.json"
    path.write_bytes(to_json(Releases(RELEASES_SCHEMA, {"one": rows}, asked)))
    return releases.load(path)


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
