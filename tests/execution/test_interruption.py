"""A run that is stopped at any point keeps what it finished, and the next one goes on from there."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from fake import engine, probes, project
from fake.command import Command, at, gate, let_through
from fake.project import cells, evidence
from fake.server import Index

from adk_probe.errors import InfrastructureError
from adk_probe.evidence import recording, store
from adk_probe.evidence.judging import judge_project
from adk_probe.execution import run, watch
from adk_probe.machine import locks
from adk_probe.machine.state import Local
from adk_probe.model import CONTROL_PASS, Fault, Kind, Outcome, TargetResult
from adk_probe.project.plan import Choice
from adk_probe.report import files

GOOD = Choice(engine="fake-engine", release="2.0")
ONE = ("--engine", "fake-engine", "--release", "2.0", "--jobs", "1")
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
PLAIN = set(probes.plain(""))


def kept(root: Path) -> list[str]:
    """Return every file among the results, whatever it is called."""
    return sorted(path.name for path in (root / store.FOLDER).glob("*")) if (root / store.FOLDER).is_dir() else []


class Stuck(Index):
    """An index that does not answer some requests until it is let go."""

    def __init__(self, ends: tuple[str, ...]) -> None:
        self.ends = ends
        self.asked = threading.Event()
        self.go = threading.Event()
        super().__init__(engine.dists())

    def reply(self, path: str) -> tuple[int, str, bytes]:
        if path.endswith(self.ends):
            self.asked.set()
            self.go.wait()
        return super().reply(path)

    def stop(self) -> None:
        self.go.set()
        super().stop()


@pytest.fixture
def stuck(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Stuck]:
    index = Stuck(request.param)
    with index:
        monkeypatch.setenv("UV_DEFAULT_INDEX", index.address)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        yield index


@pytest.mark.parametrize("how", SIGNALS)
@pytest.mark.parametrize(
    "stuck", [("/simple/fake-engine/",), (".whl",)], indirect=True, ids=["resolving", "installing"]
)
def test_stopped_while_an_environment_is_made(fresh: Path, stuck: Stuck, how: signal.Signals) -> None:
    with Command(fresh, *ONE) as command:
        command.until(stuck.asked.is_set)
        command.stop(how)
    assert kept(fresh) == []
    stuck.go.set()
    assert project.run(fresh, GOOD).states == {"ran"}
    assert set(cells(evidence(fresh, "2.0"))) == PLAIN


@pytest.mark.parametrize("how", SIGNALS)
def test_stopped_while_the_engine_is_imported(fresh: Path, how: signal.Signals, python: str) -> None:
    path = Local(fresh).folder / "envs" / f"fake-engine-1.3-py{python}-today"
    with Command(fresh, "--engine", "fake-engine", "--release", "1.3", "--jobs", "1") as command:
        # the engine is busy once it has written its bytecode: it is imported, and does not end
        command.until(lambda: bool(list(path.glob("lib/*/site-packages/fake_engine/__pycache__/*.pyc"))))
        command.stop(how)
    assert kept(fresh) == []


@pytest.mark.parametrize("how", SIGNALS)
def test_stopped_in_the_middle_of_cells(fresh: Path, how: signal.Signals) -> None:
    # in the order of their names: what is plain runs between the gates
    gate(fresh, "a-gate", "z-gate")
    let_through(fresh, "a-gate")
    with Command(fresh, *ONE) as command:
        command.until(at(fresh, "z-gate"))
        command.stop(how)
    finished = PLAIN | {"a-gate"}
    if how is not signal.SIGKILL:
        assert set(cells(evidence(fresh, "2.0"))) == finished
        assert evidence(fresh, "2.0").controlled
    let_through(fresh, "z-gate")
    done = project.run(fresh, GOOD)
    assert done.probes == {"z-gate"}
    seen = cells(evidence(fresh, "2.0"))
    assert set(seen) == finished | {"z-gate"}
    assert seen["a-gate"].message == "a-gate was let through"
    assert project.run(fresh, GOOD).states == {"current"}


def test_next_run_of_other_probes_loses_nothing(fresh: Path) -> None:
    gate(fresh, "z-gate")
    with Command(fresh, *ONE) as command:
        command.until(at(fresh, "z-gate"))
        command.stop(signal.SIGKILL)
    assert kept(fresh) == []
    # another target altogether
    project.run(fresh, Choice(engine="fake-engine", release="1.0", probes=("loop",)))
    assert set(cells(evidence(fresh, "2.0"))) == PLAIN
    assert Local(fresh).journals() == []


def test_half_of_a_target_shows_as_half(fresh: Path) -> None:
    gate(fresh, "m-gate")
    with Command(fresh, *ONE) as command:
        command.until(at(fresh, "m-gate"))
        command.stop(signal.SIGINT)
    judgement = project.judged(fresh)
    target = evidence(fresh, "2.0").target
    assert target not in judgement.missing
    assert set(judgement.of(target)) == {"import", "late-import", "loop"}
    verdicts = {row.mechanism: row for row in judgement.mechanisms if row.target == target}
    assert verdicts["loop"].verdict == "allowed"
    (reason,) = verdicts["workflow"].reasons
    assert reason.startswith("workflow: never run here")


def test_cells_of_changed_files_are_not_taken_over(fresh: Path) -> None:
    gate(fresh, "z-gate")
    with Command(fresh, *ONE) as command:
        command.until(at(fresh, "z-gate"))
        command.stop(signal.SIGKILL)
    path = fresh / "probes" / "fake" / "loop.py"
    path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    (fresh / "probes" / "fake" / "refuted.py").unlink()
    let_through(fresh, "z-gate")
    assert project.run(fresh, GOOD).probes == {"loop", "z-gate"}
    assert set(cells(evidence(fresh, "2.0"))) == (PLAIN | {"z-gate"}) - {"refuted"}


def test_cells_without_good_controls_are_not_taken_over(fresh: Path) -> None:
    gate(fresh, "z-gate")
    control = fresh / "probes" / "controls" / f"{CONTROL_PASS}.py"
    text = control.read_text(encoding="utf-8")
    control.write_text(text.replace("claim.equal(", "claim.equal('broken', 1, 2), ("), encoding="utf-8")
    with Command(fresh, *ONE) as command:
        command.until(at(fresh, "z-gate"))
        command.stop(signal.SIGINT)
    assert kept(fresh) == []
    control.write_text(text, encoding="utf-8")
    let_through(fresh, "z-gate")
    assert project.run(fresh, GOOD).probes == PLAIN | {"z-gate"}


def test_stopped_before_its_evidence_is_written(fresh: Path) -> None:
    with Command(fresh, *ONE) as command, locks.reports(fresh):
        # it waits for the lock with all of its cells behind it
        command.until(lambda: any(path.read_bytes().count(b"\n") == len(PLAIN) + 3 for path in Local(fresh).journals()))
        command.stop(signal.SIGKILL)
    assert kept(fresh) == []
    assert project.run(fresh, GOOD).probes == set()
    assert set(cells(evidence(fresh, "2.0"))) == PLAIN


def test_reports_are_made_by_the_next_run(fresh: Path) -> None:
    with Command(fresh, *ONE, "--probe", "loop") as command:
        assert command.end() == 0
    before = (fresh / "reports" / "matrix.json").read_bytes()
    # what the command does up to its reports
    project.run(fresh, GOOD)
    assert (fresh / "reports" / "matrix.json").read_bytes() == before
    with Command(fresh, *ONE) as command:
        assert command.end() == 0
    assert "nothing has changed" in command.said
    opened = project.opened(fresh)
    assert files.drifted_reports(opened, judge_project(opened, Choice(), None), readme=False) == []
    assert (fresh / "reports" / "matrix.json").read_bytes() != before
    assert not Local(fresh).are_reports_due()


def test_what_a_killed_writer_left_is_swept(fresh: Path) -> None:
    folder = fresh / store.FOLDER
    folder.mkdir()
    (folder / ".fake-engine-2.0.json.abcd.part").touch()
    project.run(fresh, Choice(engine="fake-engine", release="2.0", probes=("loop",)))
    assert [name for name in kept(fresh) if name.startswith(".")] == []


# --- what is an observation, and what is not ---------------------------------------------------------------------


def test_death_beside_the_harness_s_own_is_no_observation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who ends a whole group of processes may end the worker a moment before the harness."""
    read, write = os.pipe()
    os.close(write)
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    stop = threading.Event()
    watching = watch.Watch(process, read, stop, tmp_path)
    try:
        process.terminate()
        monkeypatch.setattr(watch, "GRACE_SECONDS", 0.0)
        watching.unless_stopped(watching.code())
        stop.set()
        watching.unless_stopped(1)
        with pytest.raises(watch.Interrupted):
            watching.unless_stopped(watching.code())
    finally:
        watching.kill()


def test_stopping_tells_of_every_cell_that_ended(fresh: Path) -> None:
    """A cell that ended when the run was stopped is kept, though nobody had looked at it yet."""
    project.run(fresh, Choice(engine="fake-engine", release="2.0", probes=("loop",)))
    opened = project.opened(fresh)
    stop = threading.Event()
    told: list[str] = []
    probed = tuple(probe for _, probe in sorted(opened.catalog.probes["fake-engine"].items()))
    last = msgspec.structs.replace(probed[0], id="z-gate", file="probes/fake/z-gate.py")
    gate(fresh, "z-gate")

    def tell(name: str, result: run.WorkerResult) -> None:
        told.append(name)
        if name == CONTROL_PASS:
            # stand still until the worker has done all else
            while not at(fresh, "z-gate")():
                stop.wait(0.02)
            stop.set()

    (planned,) = opened.plan(GOOD)
    state = Local(fresh).state(planned.target)
    assert state.interpreter is not None
    (python,) = (Local(fresh).folder / "envs").glob("fake-engine-2.0-*/bin/python")
    every = (*opened.catalog.controls, *probed, last)
    job = run.Job(planned.target, python, fresh, ("fake_engine",), "fake-engine", every, {})
    with pytest.raises(watch.Interrupted):
        run.run(job, stop, tell)
    assert told == [probe.id for probe in every[:-1]]


BREAKS = """
import fake_engine, os, shutil, signal, time
shutil.rmtree(Path(fake_engine.__file__).parent)
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(60)
"""


def test_engine_that_is_gone_in_the_middle_is_our_infrastructure_error(fresh: Path) -> None:
    text = probes.probe("m-breaks", "fake-engine", BREAKS)
    (fresh / "probes" / "fake" / "m-breaks.py").write_text(text, encoding="utf-8")
    done = project.run(fresh, GOOD)
    (ended,) = done.ended.values()
    assert ended.state == "trouble"
    # what ran before the damage cannot be told from what ran after it
    assert "the environment was damaged while its cells ran: " in ended.message
    assert evidence(fresh, "2.0").cells == ()
    (fresh / "probes" / "fake" / "m-breaks.py").unlink()
    done = project.run(fresh, GOOD)
    assert done.states == {"ran"}
    assert set(cells(evidence(fresh, "2.0"))) == PLAIN


# --- two harnesses -----------------------------------------------------------------------------------------------


def test_two_harnesses_lose_nothing_of_each_other(fresh: Path, tmp_path: Path) -> None:
    gate(fresh, "one", "other")
    homes = {name: tmp_path / f"home-{name}" for name in ("one", "other")}
    started = {name: Command(fresh, *ONE, "--probe", name, home=home) for name, home in homes.items()}
    with started["one"], started["other"]:
        for name, command in started.items():
            command.until(at(fresh, name))
        for name, command in started.items():
            let_through(fresh, name)
            assert command.end() == 0, command.said
    result = evidence(fresh, "2.0")
    assert {name: cell.message for name, cell in cells(result).items()} == {
        name: f"{name} was let through" for name in homes
    }
    assert set(result.run.cells) >= set(homes)
    opened = project.opened(fresh)
    assert files.drifted_reports(opened, judge_project(opened, Choice(), None), readme=False) == []


def test_what_another_machine_saw_is_not_made_here(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Choice(engine="fake-engine", release="2.0", probes=("loop", "refuted"))
    for home, name in (("one", "loop"), ("other", "refuted")):
        monkeypatch.setenv("ADK_PROBE_HOME", str(tmp_path / home))
        project.run(fresh, Choice(engine="fake-engine", release="2.0", probes=(name,)))
    assert set(cells(evidence(fresh, "2.0"))) == {"loop", "refuted"}
    # the other one's home knows its own cell alone, and so does the first one's
    assert project.run(fresh, both).probes == {"loop"}
    monkeypatch.setenv("ADK_PROBE_HOME", str(tmp_path / "one"))
    assert project.run(fresh, both).probes == {"refuted"}
    assert project.run(fresh, both).states == {"current"}


def test_interrupted_and_overtaken(fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A harness is killed, another one saves evidence, and only then the first one's cells are taken over."""
    gate(fresh, "z-gate")
    home = tmp_path / "killed"
    with Command(fresh, *ONE, "--probe", "loop", "--probe", "refuted", "--probe", "z-gate", home=home) as command:
        command.until(at(fresh, "z-gate"))
        command.stop(signal.SIGKILL)
    monkeypatch.setenv("ADK_PROBE_HOME", str(tmp_path / "other"))
    project.run(fresh, Choice(engine="fake-engine", release="2.0", probes=("loop", "workflow")))
    monkeypatch.setenv("ADK_PROBE_HOME", str(home))
    (left,) = Local(fresh).journals()
    # whatever the clock says
    for when in ("2000-01-01T00:00:00Z", "2999-01-01T00:00:00Z"):
        data = left.read_bytes()
        lines = [json.loads(line) for line in data.splitlines()]
        for line in lines:
            (line["record"] if line["type"] == "header" else line)["when"] = when
        copy = left.with_name("copy.jsonl")
        copy.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        recording.take_over(project.opened(fresh), copy)
        assert set(cells(evidence(fresh, "2.0"))) == {"loop", "refuted", "workflow"}


def fault(result: TargetResult, kind: Kind) -> TargetResult:
    return TargetResult(result.schema, result.target, result.environment, Fault(Outcome.ERROR, "no", kind))


def test_fault_does_not_replace_what_was_saved_meanwhile(clone: Callable[[], Path]) -> None:
    root = clone()
    opened = project.opened(root)
    before = evidence(root, "2.0")
    for kind in (Kind.IMPORT, Kind.INSTALL):
        words = recording.record_fault(opened, fault(before, kind), "the digest of what was there when it began")
        assert words == "but another harness saw it work meanwhile, and its evidence is kept"
    assert recording.record_fault(opened, fault(before, Kind.INFRASTRUCTURE), before.digest)
    assert evidence(root, "2.0") == before
    # it is newer than what it began with
    assert recording.record_fault(opened, fault(before, Kind.IMPORT), before.digest) == ""
    assert evidence(root, "2.0").fault is not None


COUNT = """
import pathlib, sys
from adk_probe.machine import locks
root = pathlib.Path(sys.argv[1])
for _ in range(50):
    with locks.reports(root):
        count = root / "count"
        count.write_text(str(int(count.read_text()) + 1))
"""
HOLD = """
import pathlib, sys, time
from adk_probe.machine import locks
with locks.reports(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def python(code: str, root: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(Path(str(locks.__file__)).parents[2])}
    return subprocess.Popen([sys.executable, "-c", code, str(root)], env=environment, stdout=subprocess.PIPE)


def test_lock_lets_one_in_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    processes = [python(COUNT, tmp_path) for _ in range(3)]
    for process in processes:
        process.communicate(timeout=60)
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert (tmp_path / "count").read_text() == "150"


def test_lock_of_a_killed_holder_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "WAIT_SECONDS", 0.0)
    with python(HOLD, tmp_path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with (
            pytest.raises(InfrastructureError, match=r"reports/\.lock: another harness holds it"),
            locks.reports(tmp_path),
        ):
            pass
        holder.kill()
    with locks.reports(tmp_path):
        pass


def test_reports_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("a file")
    with pytest.raises(InfrastructureError, match=r"reports/\.lock: cannot be written"), locks.reports(tmp_path):
        pass


def test_lock_is_not_committed() -> None:
    ignored = (project.REPOSITORY / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert locks.REPORTS in ignored
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    paths = [locks.REPORTS, "reports/.matrix.md.x.part", f"{store.FOLDER}/.x.json.y.part"]
    done = subprocess.run(["git", "check-ignore", *paths], cwd=project.REPOSITORY, capture_output=True, check=False)
    if done.returncode == 128:
        pytest.skip("this is no git checkout")
    assert done.stdout.decode().split() == paths
