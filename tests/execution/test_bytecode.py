"""Bytecode that is given to environments: compiled by the harness from confirmed sources, and nothing else runs."""

from __future__ import annotations

import importlib.util
import marshal
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from fake import engine, project
from fake.project import cells, evidence
from fake.server import Index
from fake.wheels import wheel

from adk_probe.execution import bytecode, env, interpreters
from adk_probe.machine import bytecode as kept
from adk_probe.machine import verify
from adk_probe.machine.bytecode import Store
from adk_probe.machine.state import Local
from adk_probe.model import Interpreter, Kind, Lane, Outcome, Target
from adk_probe.project.config import Engine
from adk_probe.project.plan import Choice

ENGINE = Engine("fake-engine", "fake_engine", "probes/fake")
TARGET = Target("fake-engine", "7.0", f"{sys.version_info.major}.{sys.version_info.minor}", Lane.TODAY)
FILES = {
    "fake_engine/__init__.py": "LOOPS = 3\n\n\ndef where():\n    return where.__code__.co_filename\n",
    "fake_engine/flow.py": "READY = True\n",
    "fake_engine/old.py": "print 'no Python 3'\n",
}
UNCHECKED = (1).to_bytes(4, "little")
GOOD = Choice(engine="fake-engine", release="2.0")


@pytest.fixture
def made(offline: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Return an environment with a release of the fake engine."""
    with Index([wheel("fake-engine", "7.0", FILES, "2024-01-10T12:00:00Z")]) as found:
        monkeypatch.setenv("UV_DEFAULT_INDEX", found.address)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        install(tmp_path / "env")
        yield tmp_path / "env"


@pytest.fixture
def interpreter() -> Interpreter:
    found = interpreters.ask(Path(sys.executable))
    assert found is not None
    return found


@pytest.fixture
def store(tmp_path: Path, interpreter: Interpreter) -> Store:
    return Store(tmp_path / "bytecode", interpreter)


def install(folder: Path) -> None:
    env.install(folder, TARGET, env.resolve(TARGET, ENGINE, "", sys.executable, 60), sys.executable, 60)


def package(folder: Path) -> Path:
    (found,) = folder.glob("lib/*/site-packages/fake_engine")
    return found


def imported(folder: Path, what: str = "fake_engine, fake_engine.flow", value: str = "fake_engine.LOOPS") -> str:
    """Run in the environment as the worker is run; return what it says of a value."""
    command = [str(env.python_of(folder)), "-s", "-c", f"import {what}; print({value})"]
    done = subprocess.run(command, env={"PATH": os.defpath}, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def learn(store: Store, interpreter: Interpreter, folder: Path) -> None:
    """Let a target import the engine, and learn from it."""
    given = bytecode.give(store, interpreter, folder)
    imported(folder)
    assert bytecode.look(store, folder, given) == ""


def planted(source: Path, text: str) -> Path:
    """Write bytecode of another text that Python takes for that of a source."""
    path = Path(importlib.util.cache_from_source(str(source)))
    path.parent.mkdir(exist_ok=True)
    status = source.stat()
    times = int(status.st_mtime).to_bytes(4, "little") + status.st_size.to_bytes(4, "little")
    header = importlib.util.MAGIC_NUMBER + bytes(4) + times
    path.write_bytes(header + marshal.dumps(compile(text, str(source), "exec")))
    return path


def test_new_environment_is_given_what_an_earlier_one_imported(
    made: Path, store: Store, interpreter: Interpreter
) -> None:
    learn(store, interpreter, made)
    second = made.with_name("second")
    install(second)
    given = bytecode.give(store, interpreter, second)
    names = {Path(path).name.partition(".")[0] for path in given}
    assert names == {"__init__", "flow"}
    for path in given:
        assert (second / path).read_bytes()[:8] == importlib.util.MAGIC_NUMBER + UNCHECKED
    assert imported(second) == "3"
    # nothing was compiled
    assert kept.scan(second) == given
    assert bytecode.look(store, second, given) == ""


def test_code_knows_the_file_that_it_lies_beside(made: Path, store: Store, interpreter: Interpreter) -> None:
    learn(store, interpreter, made)
    bytecode.give(store, interpreter, made)
    assert imported(made, value="fake_engine.where()") == str(package(made) / "__init__.py")


def test_nothing_is_done_while_nothing_changes(
    made: Path, store: Store, interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(store, interpreter, made)
    given = bytecode.give(store, interpreter, made)
    monkeypatch.setattr(kept, "clear", None)
    assert bytecode.give(store, interpreter, made, kept.stamp(given)) == given


def test_planted_bytecode_never_runs(made: Path, store: Store, interpreter: Interpreter) -> None:
    path = planted(package(made) / "__init__.py", "LOOPS = 4")
    assert imported(made) == "4", "Python believes it, so that this test can fail"
    bytecode.give(store, interpreter, made)
    assert not path.exists()
    assert imported(made) == "3"


def test_folders_and_links_in_the_place_of_bytecode_are_removed(
    made: Path, store: Store, interpreter: Interpreter, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    place = package(made) / "__pycache__"
    place.symlink_to(elsewhere)
    nested = package(made).parent / "__pycache__" / "nested"
    nested.mkdir(parents=True)
    (nested / "__init__.py").touch()
    assert bytecode.give(store, interpreter, made) == {}
    assert not os.path.lexists(place)
    assert not nested.parent.exists()
    assert (elsewhere / "file").exists()


def test_what_target_code_wrote_is_never_taken_over(made: Path, store: Store, interpreter: Interpreter) -> None:
    given = bytecode.give(store, interpreter, made)
    path = planted(package(made) / "__init__.py", "LOOPS = 4")
    stray = planted(package(made) / "flow.py", "").with_name(f"stray.{store.tag}.pyc")
    stray.write_bytes(b"stray")
    assert bytecode.look(store, made, given) == ""
    assert {Path(each).name for each in store.imported()} == {"__init__.py", "flow.py"}
    bytecode.give(store, interpreter, made)
    assert path.read_bytes()[4:8] == UNCHECKED
    assert not stray.exists()
    assert imported(made) == "3"


def test_source_that_is_not_what_its_record_says_is_not_compiled(
    made: Path, store: Store, interpreter: Interpreter
) -> None:
    learn(store, interpreter, made)
    (package(made) / "__init__.py").write_text("LOOPS = 4\n")
    given = bytecode.give(store, interpreter, made)
    assert {Path(path).name.partition(".")[0] for path in given} == {"flow"}


def test_file_that_is_no_python_is_left_out(made: Path, store: Store, interpreter: Interpreter) -> None:
    store.learn(verify.sources(made))
    given = bytecode.give(store, interpreter, made)
    assert {Path(path).name.partition(".")[0] for path in given} == {"__init__", "flow"}


@pytest.mark.parametrize("field", ["version", "build", "platform", "implementation"])
def test_another_build_of_python_never_uses_it(
    made: Path, store: Store, interpreter: Interpreter, tmp_path: Path, field: str
) -> None:
    learn(store, interpreter, made)
    bytecode.give(store, interpreter, made)
    assert len(store.names()) == 2
    other = Store(tmp_path / "bytecode", msgspec.structs.replace(interpreter, **{field: "other"}))
    assert (other.names(), other.imported()) == (set(), set())


@pytest.mark.parametrize("how", ["cut off", "changed", "removed"])
def test_bytecode_that_was_given_and_is_changed_is_named(
    made: Path, store: Store, interpreter: Interpreter, how: str
) -> None:
    learn(store, interpreter, made)
    given = bytecode.give(store, interpreter, made)
    path = package(made) / "__pycache__" / f"__init__.{store.tag}.pyc"
    match how:
        case "cut off":
            path.write_bytes(path.read_bytes()[:20])
        case "changed":
            planted(package(made) / "__init__.py", "LOOPS = 4")
        case "removed":
            # Python compiles the source, as where none is given
            path.unlink()
            assert bytecode.look(store, made, given) == ""
            return
    assert bytecode.look(store, made, given).endswith(f"/fake_engine/__pycache__/{path.name} was changed")


def test_bytecode_that_is_only_touched_is_good(made: Path, store: Store, interpreter: Interpreter) -> None:
    learn(store, interpreter, made)
    given = bytecode.give(store, interpreter, made)
    os.utime(package(made) / "__pycache__" / f"__init__.{store.tag}.pyc")
    assert bytecode.look(store, made, given) == ""


def test_targets_that_fill_the_store_at_once_do_not_disturb_each_other(
    made: Path, store: Store, interpreter: Interpreter
) -> None:
    store.learn(verify.sources(made))
    folders = [made.with_name(f"copy-{number}") for number in range(4)]
    for folder in folders:
        shutil.copytree(made, folder, symlinks=True)
    with ThreadPoolExecutor(len(folders)) as pool:
        found = list(pool.map(lambda folder: bytecode.give(store, interpreter, folder), folders))
    assert [len(given) for given in found] == [2] * 4
    assert all(imported(folder) == "3" for folder in folders)
    assert {path.name for path in store.folder.iterdir()} == store.names()


def test_damaged_file_of_the_store_is_made_again(made: Path, store: Store, interpreter: Interpreter) -> None:
    learn(store, interpreter, made)
    bytecode.give(store, interpreter, made)
    for name in store.names():
        path = store.folder / name
        path.write_bytes(path.read_bytes()[:-1])
    assert bytecode.give(store, interpreter, made) == {}
    assert imported(made) == "3"
    assert len(bytecode.give(store, interpreter, made)) == 2


def test_store_that_cannot_be_written_costs_only_time(made: Path, store: Store, interpreter: Interpreter) -> None:
    store.home.write_text("no folder")
    learn(store, interpreter, made)
    assert bytecode.give(store, interpreter, made) == {}


def test_interpreter_that_cannot_be_run_costs_only_time(made: Path, store: Store, interpreter: Interpreter) -> None:
    learn(store, interpreter, made)
    assert bytecode.give(store, msgspec.structs.replace(interpreter, path="/no/python"), made) == {}


def test_bytecode_that_cannot_be_removed_is_our_infrastructure_error(
    made: Path, store: Store, interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = planted(package(made) / "__init__.py", "LOOPS = 4")

    def refuse(place: str) -> None:
        raise PermissionError(13, "Permission denied", place)

    monkeypatch.setattr(shutil, "rmtree", refuse)
    with pytest.raises(env.Failed, match="cannot be removed from the environment: Permission denied") as caught:
        bytecode.give(store, interpreter, made)
    assert caught.value.fault.kind is Kind.INFRASTRUCTURE
    assert path.exists()


def test_disk_that_is_full_leaves_no_file_that_is_cut_off(
    made: Path, store: Store, interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(store, interpreter, made)
    write = Path.write_bytes

    def cut_off(path: Path, data: bytes) -> int:
        if path.suffix == ".pyc":
            write(path, data[:20])
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", cut_off)
    assert bytecode.give(store, interpreter, made) == {}
    assert imported(made) == "3"


def test_what_was_not_used_for_longest_goes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.folder.mkdir(parents=True)
    for number in range(8):
        path = store.folder / f"{number:064x}"
        path.write_bytes(bytes(100))
        os.utime(path, (number, number))
    store.learn(["a.py"])
    monkeypatch.setattr(kept, "LIMIT_BYTES", 800)
    store.prune()
    assert len(store.names()) == 8
    monkeypatch.setattr(kept, "LIMIT_BYTES", 600)
    store.prune()
    assert store.names() == {f"{number:064x}" for number in range(4, 8)}
    assert store.imported() == {"a.py"}


# --- in a run ----------------------------------------------------------------------------------------------


def append(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")


def environment(root: Path) -> Path:
    (found,) = (root / ".adk-probe" / "envs").glob("fake-engine-2.0-*-today")
    return found


def test_run_gives_bytecode_and_believes_no_other(fresh: Path) -> None:
    assert project.run(fresh, GOOD).states == {"ran"}
    before = cells(evidence(fresh, "2.0"))
    shutil.rmtree(environment(fresh))
    append(fresh / "probes" / "fake" / "loop.py")
    assert project.run(fresh, GOOD).states == {"ran"}
    local, target = Local(fresh), evidence(fresh, "2.0").target
    assert kept.stamp(kept.scan(environment(fresh))) == local.state(target).bytecode
    assert kept.scan(environment(fresh))
    # planted between two runs
    planted(package(environment(fresh)) / "__init__.py", engine.GOOD.replace("LOOPS = 3", "LOOPS = 4"))
    append(fresh / "probes" / "fake" / "loop.py")
    assert project.run(fresh, GOOD).states == {"ran"}
    after = cells(evidence(fresh, "2.0"))
    assert after["loop"].outcome is Outcome.PASS
    assert {name: (cell.outcome, cell.message, cell.facts) for name, cell in after.items()} == {
        name: (cell.outcome, cell.message, cell.facts) for name, cell in before.items()
    }
