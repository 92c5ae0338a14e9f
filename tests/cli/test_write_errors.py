"""A file that cannot be written is named with the reason, and what was there before stays."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
import samples
from fake import project
from fake.commands import Commands
from test_store import RESULT, TARGET

from adk_probe import codegen
from adk_probe.codegen.source import formatting
from adk_probe.differential import report
from adk_probe.errors import InfrastructureError
from adk_probe.evidence import gate, store
from adk_probe.evidence.judge import Evidence, judge
from adk_probe.files import scratch, write_atomic, write_together
from adk_probe.generate import corpus
from adk_probe.generate.building import Made
from adk_probe.machine.state import Local, State
from adk_probe.project import index
from adk_probe.project.config import Engine
from adk_probe.report.files import REPORTS

MARKED = f"# {codegen.MARK} 1\n"
ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES)


def write_evidence(root: Path, turn: int) -> None:
    store.save(root, samples.result(samples.target(), samples.observation("a" if turn else "b")))


def write_state(root: Path, turn: int) -> None:
    Local(root).keep(TARGET, State(unavailable=f"no {turn}"))


def write_lock(root: Path, turn: int) -> None:
    found = samples.result(samples.target(), samples.observation("a"))
    verdicts = judge(samples.config(), samples.catalog(), (), Evidence({found.target.key: found}), samples.TODAY, None)
    gate.accept(root / gate.FILE, verdicts, gate.Lock(), f"reason {turn}")


def write_releases(root: Path, turn: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "ask", lambda _: samples.releases("1.0", f"1.{turn + 1}").engines["one"])
        index.update(root / "reports" / "releases.json", {"one": Engine("one", "one", "probes/one")})


def write_project(root: Path, turn: int) -> None:
    codegen.write(root / "made", {"a.py": f"{MARKED}{turn}\n", "sub/b.py": f"{MARKED}{turn}\n"})


def write_generated(root: Path, turn: int) -> None:
    config = samples.config(loop=("a",))
    loop = msgspec.structs.replace(config.mechanisms["loop"], golden="g")
    files = {"loop": {"agent.py": f"{MARKED}{turn}\n"}}
    made = {"g": Made("made", f"source {turn}", files, {"one": b"{}"}, {}, ())}
    corpus.write(root, msgspec.structs.replace(config, mechanisms={"loop": loop}), made)


WRITERS: dict[Callable[[Path, int], None], tuple[str, ...]] = {
    write_evidence: ("one-1.0-py3.12-today.json",),
    write_state: (f"{TARGET.key}.json",),
    write_lock: ("gate.lock.json",),
    write_releases: ("releases.json",),
    write_project: ("made/a.py", "made/sub/b.py", "made/.adk-probe-manifest.json"),
    write_generated: ("made/agent.py", "made/.adk-probe-manifest.json", "generated/generated.lock.json"),
}


class Broken(FileIO):
    """A file on a disk that fails."""

    code = 0

    def write(self, _: Any) -> int:
        raise OSError(self.code, os.strerror(self.code))


def at_open(patch: pytest.MonkeyPatch, fail: Callable[..., Any]) -> None:
    patch.setattr(tempfile, "mkstemp", fail)


def at_write(patch: pytest.MonkeyPatch, fail: Callable[..., Any]) -> None:
    try:
        fail()
    except OSError as error:
        patch.setattr(Broken, "code", error.errno)
    real = os.fdopen
    patch.setattr(os, "fdopen", lambda handle, mode: Broken(handle, "w") if mode == "wb" else real(handle, mode))


def at_sync(patch: pytest.MonkeyPatch, fail: Callable[..., Any]) -> None:
    patch.setattr(os, "fsync", fail)


def at_rename(patch: pytest.MonkeyPatch, fail: Callable[..., Any]) -> None:
    patch.setattr(Path, "replace", fail)


WAYS = (at_open, at_write, at_sync, at_rename)


def content(root: Path) -> dict[str, bytes | None]:
    """Return every file and folder below a folder, by its path."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None for path in root.rglob("*")
    }


def failing(code: int) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        # as of a descriptor: without a name
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize("code", ERRORS, ids=lambda code: errno.errorcode[code])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_named_and_nothing_lost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Path, int], None],
    way: Callable[[pytest.MonkeyPatch, Callable[..., Any]], None],
    code: int,
) -> None:
    for there_before in (False, True):
        if there_before:
            write(tmp_path, 0)
        before = content(tmp_path)
        with monkeypatch.context() as patch:
            way(patch, failing(code))
            with pytest.raises(InfrastructureError) as caught:
                write(tmp_path, 1)
        message = caught.value.message
        assert any(f"{name}: cannot be written: {os.strerror(code)}" in message for name in WRITERS[write]), message
        assert "None" not in str(caught.value)
        assert content(tmp_path) == before
    write(tmp_path, 1)
    assert content(tmp_path).keys() == before.keys()


def test_folder_of_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "reports").write_bytes(b"")
    for write in (write_evidence, write_lock):
        with pytest.raises(InfrastructureError, match=f"{WRITERS[write][0]}: cannot be written: Not a directory"):
            write(tmp_path, 0)


def test_orphan_that_cannot_be_removed_is_named_and_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(tmp_path, 0)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", failing(errno.EROFS))
        with pytest.raises(InfrastructureError, match=r"sub/b\.py: cannot be removed: Read-only file system"):
            codegen.write(tmp_path / "made", {"a.py": MARKED})
    assert codegen.write(tmp_path / "made", {"a.py": MARKED}).orphaned == ("sub/b.py",)
    assert not (tmp_path / "made" / "sub").exists()


def test_stranger_that_cannot_be_removed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_generated(tmp_path, 0)
    (tmp_path / "generated" / "stranger.txt").write_bytes(b"")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "generated" / "link").symlink_to(tmp_path / "elsewhere")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", failing(errno.EACCES))
        with pytest.raises(InfrastructureError, match="generated/link: cannot be removed: Permission denied"):
            write_generated(tmp_path, 0)
    write_generated(tmp_path, 0)
    assert not (tmp_path / "generated" / "link").is_symlink()
    assert (tmp_path / "elsewhere").is_dir()


def test_several_files_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {tmp_path / "new" / str(number): b"%d" % number for number in range(3)}
    names = {path: f"file {path.name}" for path in files}
    count = 0
    real = os.fsync

    def third(handle: int) -> None:
        nonlocal count
        count += 1
        if count == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", third)
        with pytest.raises(InfrastructureError, match="file 2: cannot be written: No space left"):
            write_together(files, names)
    assert content(tmp_path) == {}
    assert write_together(files, names) == list(files)
    assert write_together({**files, tmp_path / "new" / "1": b"x"}, names) == [tmp_path / "new" / "1"]


def test_long_name(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    assert write_atomic(path, b"x")
    with pytest.raises(InfrastructureError, match="cannot be written: File name too long"):
        write_atomic(tmp_path / ("é" * 128), b"x")


def test_interruption_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_atomic(tmp_path / "file", b"one")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "file", b"two")
    assert content(tmp_path) == {"file": b"one"}


def test_failures_of_random_graphs_are_told_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = report.Report("toy 1.0")
    found.failures.append(report.Failure("01-loop-agent", (), b"{}", b"{}"))
    at_sync(monkeypatch, failing(errno.ENOSPC))
    report.save(found, tmp_path / "differential-failures")
    assert any("01-loop-agent" in line for line in found.lines)
    named = [line for line in found.lines if line.startswith("not saved: ")]
    assert [line.split(": ")[1] for line in named] == [
        "differential-failures/01-loop-agent.ir.json",
        "differential-failures/01-loop-agent.scenarios.json",
    ]
    assert all(line.endswith("cannot be written: No space left on device") for line in named)


def test_temporary_folder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InfrastructureError, match=f"{tempfile.gettempdir()}: cannot be written: No space"), scratch():
        failing(errno.ENOSPC)()
    monkeypatch.setattr(tempfile, "mkdtemp", failing(errno.EDQUOT))
    with pytest.raises(InfrastructureError, match="cannot be written: Disk quota exceeded"):
        formatting.format_python({"a.py": "x = 1\n"})


# ------------------------------------------------------------------------------ commands on a real disk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with evidence of one target."""
    made = project.make(tmp_path / "project", "3.12")
    store.save(made, RESULT)
    return made


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    with Commands() as made:
        yield made


def test_command_that_may_write_only_small_files(commands: Commands, root: Path) -> None:
    assert commands(root, "report").code == 0
    sizes = {name: (root / "reports" / name).stat().st_size for name in REPORTS}
    most = sorted(sizes.values())[-2] + 1
    for name in REPORTS:
        (root / "reports" / name).unlink()
    ended = commands(root, "report", most=most)
    assert ended.clear, ended
    assert ended.code == 3
    told = [line for line in ended.err.splitlines() if line.startswith("adk-probe: ")]
    assert told == ["adk-probe: reports/matrix.html: cannot be written: File too large"]
    # the answer is given, and what could be written is
    assert "fake-engine" in ended.out
    assert sorted(path.name for path in (root / "reports").iterdir() if path.is_file()) == [
        ".lock",
        "junit.xml",
        "matrix.json",
        "matrix.md",
        "releases.json",
        "timings.json",
    ]


def test_disk_without_room(commands: Commands, root: Path, small_disk: Path) -> None:
    small = small_disk / "project"
    shutil.copytree(root, small)
    assert commands(small, "report").code == 0
    before = content(small / "reports")
    (small / "probes" / "fake" / "loop.py").write_text(
        (small / "probes" / "fake" / "loop.py").read_text(encoding="utf-8").replace("loop holds", "it loops"),
        encoding="utf-8",
    )
    handle = os.open(small_disk / "filler", os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while True:
            os.write(handle, bytes(4096))
    os.close(handle)
    ended = commands(small, "report")
    assert ended.clear, ended
    assert ended.code == 3
    assert "adk-probe: reports/matrix.html: cannot be written: No space left on device" in ended.err
    assert content(small / "reports") == before
    (small_disk / "filler").unlink()
    assert commands(small, "report").code == 0
    assert content(small / "reports") != before


def test_terminal_without_room(commands: Commands, root: Path) -> None:
    for arguments in (("releases",), ("releases", "--json"), ("validate", "matrix.toml")):
        ended = commands(root, *arguments, most=70)
        assert ended.clear, ended
        assert (ended.code, len(ended.out)) == (3, 70)
        # of standard error, a file too, no more than that fits either
        assert ended.err.startswith("adk-probe: standard output: cannot be written: File too large\n")
