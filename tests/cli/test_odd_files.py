"""Whatever stands in the place of a file, a command ends soon, by one message that names it."""

from __future__ import annotations

import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake import project
from fake.commands import Commands, Ended, give_up_power
from test_store import DATA, TARGET

from adk_probe.errors import InputError
from adk_probe.evidence import store
from adk_probe.files import NotReadableError, holds, read_file, read_text, tail_of, to_json
from adk_probe.project.generated import LOCK, SCHEMA, Lock, generator

ASK = ("allowed", "--engine", "fake-engine", "--release", "2.0")
GRAPH = "remediation"
EVIDENCE = f"{store.FOLDER}/{TARGET.key}.json"
# place of the file, command, exit code
INPUTS: dict[str, tuple[tuple[str, ...], int]] = {
    "matrix.toml": (ASK, 2),
    "reports/releases.json": (ASK, 3),
    "reports/gate.lock.json": (("gate",), 3),
    "probes/fake/loop.py": (ASK, 2),
    "probes/probekit.py": (ASK, 2),
    "probes/controls/control-pass.py": (ASK, 2),
    "probes/fidelity/run_fidelity.py": (ASK, 2),
    LOCK: (ASK, 2),
    f"probes/graphs/{GRAPH}.ir.json": (("codegen", "--check"), 2),
    f"probes/graphs/{GRAPH}.scenarios.json": (("codegen", "--check"), 2),
    "probes/graphs/cluster_model.py": (("codegen", "--check"), 2),
    "README.md": (("report", "--readme"), 2),
    "my.ir.json": (("generate", "my.ir.json"), 2),
}


NOT_THERE = re.compile("there is no such file|it is missing")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def plug(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        # a socket's address may not be long
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def folder(path: Path) -> None:
    path.mkdir()


def nowhere(path: Path) -> None:
    path.symlink_to("not-there")


def itself(path: Path) -> None:
    path.symlink_to(path.name)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(8 << 30)


def closed(path: Path) -> None:
    path.write_bytes(b"")
    path.chmod(0)


ODD: dict[Callable[[Path], None], str] = {
    pipe: "it is a named pipe, not a file",
    endless: "it is a device, not a file",
    plug: "it is a socket, not a file",
    folder: "it is a folder, not a file",
    nowhere: "No such file or directory",
    itself: "Too many levels of symbolic links",
    sparse: "it has more than 67,108,864 bytes",
    closed: "Permission denied",
}
# where there is nothing to be read, nothing is read
PASSED_OVER = {
    ("reports/gate.lock.json", nowhere),
}


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    with Commands() as made:
        yield made


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that has a file of each kind; not to be changed."""
    root = project.make(tmp_path_factory.mktemp("model") / "project", "3.12")
    declared = (root / "matrix.toml").read_text(encoding="utf-8")
    runner = '[engines.fake-engine]\nfidelity = "probes/fidelity/run_fidelity.py"'
    (root / "matrix.toml").write_text(declared.replace("[engines.fake-engine]", runner, 1), encoding="utf-8")
    for name in ("fidelity", "graphs"):
        (root / "probes" / name).mkdir()
    for path in sorted((project.REPOSITORY / "probes" / "fidelity").glob("*.py")):
        shutil.copy(path, root / "probes" / "fidelity")
    for name in (f"{GRAPH}.ir.json", f"{GRAPH}.scenarios.json", "cluster_model.py"):
        shutil.copy(project.REPOSITORY / "probes" / "graphs" / name, root / "probes" / "graphs")
    shutil.copy(root / "probes" / "graphs" / f"{GRAPH}.ir.json", root / "my.ir.json")
    for place in INPUTS:
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
    (root / LOCK).write_bytes(to_json(Lock(SCHEMA, generator(), {}, {})))
    (root / "README.md").write_text("<!-- matrix:begin -->\n<!-- matrix:end -->\n", encoding="utf-8")
    (root / store.FOLDER).mkdir()
    (root / EVIDENCE).write_bytes(DATA)
    return root


@pytest.fixture
def root(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(model, tmp_path / "project"))


def put(root: Path, place: str, make: Callable[[Path], None]) -> None:
    if make is closed and not can_be_powerless():
        pytest.skip("this user reads files whatever their rights are, and cannot do without")
    (root / place).unlink(missing_ok=True)
    make(root / place)


def can_be_powerless() -> bool:
    pid = os.fork()
    if pid == 0:
        os._exit(0 if give_up_power() else 1)
    return os.waitpid(pid, 0)[1] == 0


def asked(commands: Commands, root: Path, *arguments: str) -> Ended:
    ended = commands(root, *arguments, powerless=can_be_powerless())
    assert ended.clear, ended
    return ended


PAIRS = [
    pytest.param(place, make, id=f"{place}-{make.__name__}")
    for place in INPUTS
    for make in ODD
    # all go through one function; how each caller takes what it raises is seen by some
    if make in (pipe, endless, folder, nowhere, sparse) or place in ("matrix.toml", "probes/fake/loop.py", "my.ir.json")
]


@pytest.mark.parametrize(("place", "make"), PAIRS)
def test_in_the_place_of_an_input(commands: Commands, root: Path, place: str, make: Callable[[Path], None]) -> None:
    arguments, code = INPUTS[place]
    put(root, place, make)
    ended = asked(commands, root, *arguments)
    if (place, make) in PASSED_OVER:
        assert "cannot be read" not in ended.err
        return
    assert Path(place).name in ended.err
    # a link that leads nowhere may be called what it is for whoever reads it: a file that is not there
    assert ODD[make] in ended.err or (make is nowhere and NOT_THERE.search(ended.err))
    assert ended.code == code or (make is nowhere and ended.code == 2)
    assert ended.out == "" or place == "README.md"


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_in_the_place_of_evidence(commands: Commands, root: Path, make: Callable[[Path], None]) -> None:
    put(root, EVIDENCE, make)
    ended = asked(commands, root, *ASK)
    assert f"adk-probe: {EVIDENCE}: cannot be read: {ODD[make]}" in ended.err
    assert "unproven" in ended.out
    ended = asked(commands, root, "report")
    assert ended.code == 3
    # the others are judged, and what cannot be read is named in what is written
    assert (root / "reports" / "matrix.md").read_text(encoding="utf-8").count(TARGET.key) == 1


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_in_the_place_of_what_this_machine_knows(commands: Commands, root: Path, make: Callable[[Path], None]) -> None:
    before = asked(commands, root, *ASK)
    place = f".adk-probe/state/{TARGET.key}.json"
    (root / place).parent.mkdir(parents=True)
    put(root, place, make)
    assert asked(commands, root, *ASK) == before


@pytest.mark.parametrize("make", [pipe, folder, closed], ids=lambda make: make.__name__)
def test_in_the_place_of_the_lock_of_a_run(commands: Commands, root: Path, make: Callable[[Path], None]) -> None:
    (root / ".adk-probe").mkdir()
    put(root, ".adk-probe/lock", make)
    ended = asked(commands, root, "run", "--explain", "--suite", "broken", "--python", "3.99")
    assert (ended.code, ".adk-probe/lock" in ended.err) == ((0, False) if make is pipe else (3, True)), ended


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_in_the_place_of_a_report(commands: Commands, root: Path, make: Callable[[Path], None]) -> None:
    put(root, "reports/matrix.html", make)
    ended = asked(commands, root, "report")
    written = [name for name in ("matrix.json", "matrix.md", "junit.xml") if (root / "reports" / name).is_file()]
    assert len(written) == 3
    if make is folder:
        # it may hold what somebody wants
        assert ended.code == 3
        assert "reports/matrix.html: cannot be written: Is a directory" in ended.err
        assert (root / "reports" / "matrix.html").is_dir()
    else:
        assert (root / "reports" / "matrix.html").read_bytes().startswith(b"<!doctype html>")
        assert not (root / "reports" / "matrix.html").is_symlink()
    assert "fixes it" not in ended.err


def test_links_to_files_are_fine(commands: Commands, root: Path) -> None:
    before = asked(commands, root, *ASK)
    for place in [*INPUTS, EVIDENCE]:
        path = root / place
        if path.is_file():
            path.rename(path.with_name(f"{path.name}.real"))
            path.symlink_to(f"{path.name}.real")
    assert asked(commands, root, *ASK) == before
    assert asked(commands, root, "codegen", "--check").code == 1


def test_root_that_is_a_link_to_itself(commands: Commands, tmp_path: Path) -> None:
    itself(tmp_path / "around")
    ended = asked(commands, tmp_path, "--root", "around", *ASK)
    assert ended.code == 2
    assert "matrix.toml" in ended.err


def test_name_that_is_not_utf_8(commands: Commands, root: Path) -> None:
    # a helper that nothing imports, since no program could name it: all else is answered
    before = asked(commands, root, *ASK)
    Path(os.fsdecode(os.fsencode(root) + b"/probes/caf\xe9.py")).write_bytes(b"")
    assert asked(commands, root, *ASK) == before
    Path(os.fsdecode(os.fsencode(root) + b"/probes/fake/caf\xe9.py")).write_bytes(b"")
    ended = asked(commands, root, *ASK)
    assert ended.code == 2
    assert r"caf\udce9.py" in ended.err


def taken(path: Path) -> None:
    path.write_bytes(b"")


def forbidden(path: Path) -> None:
    path.mkdir()
    path.chmod(0)


@pytest.mark.parametrize(("folder", "code"), [("reports/results", 3), ("probes/fake", 2), ("probes/graphs", 2)])
@pytest.mark.parametrize(
    ("make", "why"),
    [(taken, "Not a directory"), (itself, "Too many levels of symbolic links"), (forbidden, "Permission denied")],
)
def test_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(
    commands: Commands, root: Path, folder: str, code: int, make: Callable[[Path], None], why: str
) -> None:
    place = root / folder
    if place.exists():
        shutil.rmtree(place)
    make(place)
    # these say themselves that there is no such folder
    why = f"no folder {folder!r}" if folder == "probes/fake" and make is not forbidden else why
    for arguments in (ASK, ("report",)) if folder != "probes/graphs" else (("codegen",),):
        ended = commands(root, *arguments, powerless=True)
        assert ended.clear, ended
        assert ended.code == code
        assert folder in ended.err
        assert why in ended.err
    if make is forbidden:
        place.chmod(0o700)


# ---------------------------------------------------------------------------- the function itself


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_read_file(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "file"
    make(path)
    if make is closed and os.geteuid() == 0:
        pytest.skip("root reads files whatever their rights are")
    for read in (read_file, lambda each: tail_of(each, 3)):
        if make is sparse and read is not read_file:
            assert read(path) == b"\0\0\0"
            continue
        with pytest.raises(OSError, match=re.escape(ODD[make])) as caught:
            read(path)
        assert caught.value.strerror == ODD[make]
        assert caught.value.filename == str(path)
    assert not holds(path, b"x")
    with pytest.raises(InputError) as refused:
        read_text(path, "my file")
    assert refused.value.message == f"my file: cannot be read: {ODD[make]}"


def test_read_file_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    (tmp_path / "link").symlink_to(path)
    assert read_file(path, 5) == read_file(tmp_path / "link", 5) == b"12345"
    assert (tail_of(path, 2), tail_of(path, 9), tail_of(path, 0)) == (b"45", b"12345", b"")
    with pytest.raises(NotReadableError, match="more than 4 bytes"):
        read_file(path, 4)
    assert holds(path, b"12345")
    assert not holds(path, b"12346")
    assert not holds(path, b"1234")
    path.write_bytes(b"")
    assert read_file(path, 0) == b""


def test_read_file_whose_size_is_none() -> None:
    path = Path("/proc/self/maps")
    if not path.is_file():
        pytest.skip("there is no /proc here")
    assert path.stat().st_size == 0
    assert read_file(path)
    with pytest.raises(NotReadableError, match="more than 10 bytes"):
        read_file(path, 10)


def test_read_file_with_a_null_in_its_name(tmp_path: Path) -> None:
    with pytest.raises(NotReadableError, match="null"):
        read_file(tmp_path / "a\0b")


def test_text_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"ab\xff")
    with pytest.raises(InputError, match="my file: not UTF-8 at byte 2"):
        read_text(tmp_path / "file", "my file")
