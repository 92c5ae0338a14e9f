"""What a second run does, and how it handles infrastructure errors: each test changes a copy of the big run."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake import engine, probes, project
from fake.command import Command
from fake.project import cells, evidence
from fake.server import Index

from adk_probe import files
from adk_probe.errors import InfrastructureError, InputError
from adk_probe.evidence import store
from adk_probe.execution import env, interpreters, run, schedule, uv
from adk_probe.machine.state import Local
from adk_probe.model import Kind, Outcome
from adk_probe.project.plan import Choice

Clone = Callable[[], Path]
GOOD = Choice(engine="fake-engine", release="2.0")
HOSTILE = Choice(suite="hostile")


def result_file(root: Path, release: str = "2.0", name: str = "fake-engine") -> Path:
    (found,) = (root / store.FOLDER).glob(f"{name}-{release}-*-today.json")
    return found


def never(*arguments: object, **options: object) -> None:
    raise AssertionError(f"must not be called: {arguments}")


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no worker and no uv be started."""
    monkeypatch.setattr(run, "run", never)
    monkeypatch.setattr(uv, "call", never)


def append(path: Path, text: str = "\n# changed\n") -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


@pytest.mark.parametrize("suite", ["quick", "broken", "hostile"])
def test_nothing_runs_again(
    clone: Clone, suite: str, idle: None, offline: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = clone()
    monkeypatch.setattr(interpreters, "find", lambda wanted: {})
    before = {path.name: path.read_bytes() for path in (root / store.FOLDER).iterdir()}
    asked = len(offline.requests)
    done = project.run(root, Choice(suite=suite))
    assert done.states <= {"current", "unsupported", "unavailable"}
    assert (done.told.targets, done.told.cells) == (0, [])
    assert len(offline.requests) == asked
    assert {path.name: path.read_bytes() for path in (root / store.FOLDER).iterdir()} == before


def test_changed_probe_reruns_that_cell_alone(clone: Clone) -> None:
    root = clone()
    before = evidence(root, "2.0")
    append(root / "probes" / "fake" / "loop.py")
    done = project.run(root)
    assert done.probes == {"loop"}
    after = evidence(root, "2.0")
    changed = {name for name, cell in cells(after).items() if cell != cells(before)[name]}
    assert changed == {"loop"}
    assert set(after.run.cells) == set(before.run.cells)
    assert done.ended[evidence(root, "0.9").target.key].state == "current"
    assert project.run(root).states == {"current"}


def test_changed_helper_reruns_what_imports_it_alone(clone: Clone) -> None:
    root = clone()
    append(root / "probes" / "fake" / "loop.py", "\nimport _kit  # noqa\n")
    assert project.run(root, GOOD).probes == {"loop"}
    append(root / "probes" / "fake" / "_kit.py")
    assert project.run(root, HOSTILE).states == {"current"}
    assert project.run(root, GOOD).probes == {"loop"}


def test_new_probe_runs_alone_and_a_removed_one_leaves(clone: Clone) -> None:
    root = clone()
    folder = root / "probes" / "fake"
    (folder / "added.py").write_text(probes.probe("added", "fake-engine", "claim.note('here')"), encoding="utf-8")
    (folder / "refuted.py").unlink()
    assert project.run(root, GOOD).probes == {"added"}
    assert set(cells(evidence(root, "2.0"))) == (set(probes.plain("")) | {"added"}) - {"refuted"}


def test_probes_in_folders(clone: Clone) -> None:
    root = clone()
    folder = root / "probes" / "fake" / "many"
    folder.mkdir()
    text = probes.probe("many/One", "fake-engine", "claim.fact('one', 1)").replace("parents[1]", "parents[2]")
    (folder / "One.py").write_text(text, encoding="utf-8")
    assert project.run(root, GOOD).probes == {"many/One"}
    assert cells(evidence(root, "2.0"))["many/One"].outcome is Outcome.PASS


def test_choice_of_probes(clone: Clone) -> None:
    root = clone()
    for name in ("loop", "refuted"):
        append(root / "probes" / "fake" / f"{name}.py")
    choice = Choice(engine="fake-engine", release="2.0", probes=("loop",))
    assert project.run(root, choice).probes == {"loop"}
    assert project.run(root, GOOD).probes == {"refuted"}


def test_evidence_of_another_machine_is_made_anew(clone: Clone) -> None:
    root = clone()
    for known in ("state", "observed"):
        shutil.rmtree(root / ".adk-probe" / known)
    before = result_file(root).read_bytes()
    done = project.run(root, GOOD)
    assert done.probes == set(probes.plain(""))
    after = json.loads(result_file(root).read_bytes())
    assert after["digest"] == json.loads(before)["digest"]


def test_refresh_gives_the_same_evidence(clone: Clone) -> None:
    root = clone()
    for choice, name in ((GOOD, "fake-engine"), (Choice(engine="fake-engine", release="1.2"), "fake-engine")):
        release = choice.release or ""
        before = json.loads(result_file(root, release, name).read_bytes())
        done = project.run(root, choice, refresh=True)
        assert done.states <= {"ran", "fault"}
        assert json.loads(result_file(root, release, name).read_bytes()) == before


def test_hostile_probes_do_the_same_without_fork(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    root = clone()
    before = cells(evidence(root, "2.0", engine="hostile"))
    monkeypatch.setenv("ADK_PROBE_FORK", "0")
    monkeypatch.setattr(run, "SLACK_SECONDS", 5.0)
    shutil.rmtree(root / "pids")
    # each attack once: the neighbours were looked at before, and a stopped worker is no matter of spawning
    names = tuple(name for name in before if not name.endswith("-next") and name != "stops-worker")
    project.run(root, Choice(suite="hostile", probes=names), refresh=True)
    after = cells(evidence(root, "2.0", engine="hostile"))
    # only what a killed worker leaves of its own words may differ
    assert {name: (after[name].outcome, after[name].kind, after[name].message) for name in names} == {
        name: (before[name].outcome, before[name].kind, before[name].message) for name in names
    }
    different = {name for name in names if after[name] != before[name]}
    assert different <= {"environment"}
    for path in (root / "pids").iterdir():
        assert not project.alive(int(path.read_text()))


# --- infrastructure errors -----------------------------------------------------------------------------------


def test_dead_index_says_nothing_of_the_engine(clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = clone()
    with Index([]) as dead:
        monkeypatch.setenv("UV_DEFAULT_INDEX", dead.address)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "empty-cache"))
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    before = result_file(root).read_bytes()
    done = project.run(root, GOOD, refresh=True)
    assert done.states == {"trouble"}
    (ended,) = done.ended.values()
    assert "the evidence from before is kept" in ended.message
    assert "127.0.0.1" not in ended.message
    assert result_file(root).read_bytes() == before
    # without evidence from before, the infrastructure error is all there is to see
    result_file(root).unlink()
    done = project.run(root, GOOD, refresh=True)
    assert done.states == {"trouble"}
    fault = evidence(root, "2.0").fault
    assert fault is not None
    assert fault.kind is Kind.INFRASTRUCTURE
    assert "127.0.0.1" not in result_file(root).read_text()


def test_infrastructure_error_is_tried_again_without_being_asked(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, offline: Index
) -> None:
    answer = uv.UvResult(2, "", "error: Failed to fetch: `http://somewhere/simple/`\n  cause: operation timed out")
    with monkeypatch.context() as patch:
        patch.setattr(uv, "call", lambda *_, **__: answer)
        done = project.run(fresh, GOOD)
    assert done.states == {"trouble"}
    assert "somewhere" not in next(iter(done.ended.values())).message
    assert project.run(fresh, GOOD).states == {"ran"}


def test_broken_controls_are_our_infrastructure_error(clone: Clone) -> None:
    root = clone()
    control = root / "probes" / "controls" / "control-pass.py"
    control.write_text(control.read_text().replace("claim.equal(", "claim.equal('broken', 1, 2), ("), encoding="utf-8")
    before = result_file(root).read_bytes()
    done = project.run(root, GOOD, refresh=True)
    assert done.states == {"trouble"}
    assert "the controls failed: " in next(iter(done.ended.values())).message
    assert result_file(root).read_bytes() == before
    result_file(root).unlink()
    assert project.run(root, GOOD, refresh=True).states == {"trouble"}
    fault = evidence(root, "2.0").fault
    assert fault is not None
    assert fault.kind is Kind.INFRASTRUCTURE


def test_control_that_calls_everything_true_is_noticed(clone: Clone) -> None:
    root = clone()
    control = root / "probes" / "controls" / "control-fail.py"
    control.write_text(control.read_text().replace("claim.equal(", "print("), encoding="utf-8")
    assert project.run(root, GOOD, refresh=True).states == {"trouble"}


def test_missing_environment_is_made_anew(clone: Clone) -> None:
    root = clone()
    shutil.rmtree(root / ".adk-probe" / "envs")
    append(root / "probes" / "fake" / "loop.py")
    assert project.run(root, GOOD).probes == {"loop"}
    assert cells(evidence(root, "2.0"))["loop"].outcome is Outcome.PASS


def test_half_installed_environment_is_made_anew(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_short(folder: Path, *arguments: Any) -> env.Built:
        install(folder, *arguments)
        shutil.rmtree(next(folder.glob("lib/*/site-packages/fake_engine")))
        raise KeyboardInterrupt

    install = env.install
    with monkeypatch.context() as patch:
        patch.setattr(env, "install", cut_short)
        with pytest.raises(KeyboardInterrupt):
            project.run(fresh, GOOD)
    assert not list((fresh / "reports").glob("results/*"))
    assert project.run(fresh, GOOD).states == {"ran"}


def test_unresolvable_target_is_asked_anew_and_stays_so(clone: Clone) -> None:
    root = clone()
    choice = Choice(engine="fake-engine", release="1.5")
    path = result_file(root, "1.5")
    before = json.loads(path.read_bytes())
    path.write_bytes(path.read_bytes()[:100])
    assert project.run(root, choice).states == {"fault"}
    fault = evidence(root, "1.5").fault
    assert fault is not None
    assert fault.kind is Kind.RESOLVE
    assert json.loads(path.read_bytes())["digest"] == before["digest"]


def test_today_is_resolved_anew_on_another_day(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    root = clone()
    monkeypatch.setattr(schedule, "_today", lambda: "2999-01-01")
    done = project.run(root)
    # the pins are the same, so no cell ran
    assert (done.states, done.probes) == ({"current"}, set())
    assert done.told.targets == 4, "as-released holds for ever, today must be resolved again"


DAMAGES = {
    "hash": b"another wheel than the one that was promised",
    "empty": b"",
    "truncated": None,
}


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_wheel_that_is_none(fresh: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: str) -> None:
    dists = engine.dists()
    with Index(dists) as broken:
        name = "fake_engine-2.0-py3-none-any.whl"
        whole = broken.dists[name]
        data = DAMAGES[damage]
        monkeypatch.setenv("UV_DEFAULT_INDEX", broken.address)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("UV_HTTP_RETRIES", "0")
        reply = broken.reply

        def damaged(path: str) -> tuple[int, str, bytes]:
            status, kind, body = reply(path)
            if path.endswith(name):
                body = body[: len(whole.data) // 2] if data is None else data
            return status, kind, body

        monkeypatch.setattr(broken, "reply", damaged)
        project.run(fresh, GOOD)
    result = evidence(fresh, "2.0")
    assert result.fault is not None
    # the index promised other bytes, so that this says nothing of the release
    assert result.fault.kind is Kind.INFRASTRUCTURE
    assert result.fault.message.startswith("installing ")


def test_project_in_a_folder_with_an_odd_name(tmp_path: Path, offline: Index, python: str) -> None:
    root = project.make(tmp_path / 'it\'s "a" \\ pröject, $HOME;', python)
    done = project.run(root, GOOD)
    assert done.states == {"ran"}
    seen = cells(evidence(root, "2.0"))
    assert seen["loop"].outcome is Outcome.PASS
    assert seen["places"].facts["seen"][-1] == "<project>/probes/fake/places.py"
    assert str(tmp_path) not in result_file(root).read_text()


def test_user_without_a_home(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", none)
    monkeypatch.setattr(Path, "expanduser", none)
    assert project.run(fresh, GOOD).states == {"ran"}


# --- a full disk -----------------------------------------------------------------------------------------


def test_full_disk_keeps_the_old_evidence(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    root = clone()
    before = {path.name: path.read_bytes() for path in (root / store.FOLDER).iterdir()}
    append(root / "probes" / "fake" / "loop.py")

    stage = files._stage

    def full(path: Path, data: bytes) -> Path:
        if path.parent.name == Path(store.FOLDER).name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return stage(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(files, "_stage", full)
        with pytest.raises(InfrastructureError, match="cannot be written: No space left"):
            project.run(root, GOOD)
    assert {path.name: path.read_bytes() for path in (root / store.FOLDER).iterdir()} == before
    # the cell itself is in the journal
    assert project.run(root, GOOD).probes == set()
    (cell,) = (each for each in project.judged(root).of(evidence(root, "2.0").target).values() if each.probe == "loop")
    assert cell.changed == ()


def test_full_disk_while_running_is_infrastructure_error(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    root = clone()
    before = result_file(root).read_bytes()
    append(root / "probes" / "fake" / "loop.py")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "mkdtemp", full)
        done = project.run(root, GOOD)
    assert done.states == {"trouble"}
    assert "No space left" in next(iter(done.ended.values())).message
    assert result_file(root).read_bytes() == before
    assert project.run(root, GOOD).probes == {"loop"}


def test_disk_that_is_really_full(small_disk: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project.run(fresh, GOOD)
    root = small_disk / "project"
    shutil.copytree(fresh, root, symlinks=True, ignore=shutil.ignore_patterns("envs"))
    monkeypatch.setenv("ADK_PROBE_HOME", str(fresh / ".adk-probe"))
    before = result_file(root).read_bytes()
    append(root / "probes" / "fake" / "loop.py")
    filler = small_disk / "filler"
    handle = os.open(filler, os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while True:
            os.write(handle, bytes(4096))
    os.close(handle)
    with pytest.raises(InfrastructureError, match="No space left"):
        project.run(root, GOOD)
    assert result_file(root).read_bytes() == before
    assert [path.name for path in (root / store.FOLDER).iterdir()] == [result_file(root).name]
    filler.unlink()
    # what it saw is in the journal, on another disk
    assert project.run(root, GOOD).probes == set()
    assert result_file(root).read_bytes() != before


def test_disk_full_while_installing(small_disk: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADK_PROBE_HOME", str(small_disk / "home"))
    (small_disk / "filler").write_bytes(bytes((2 << 20) - (64 << 10)))
    done = project.run(fresh, GOOD)
    assert done.states == {"trouble"}
    fault = evidence(fresh, "2.0").fault
    assert fault is not None
    assert fault.message == "installing fake-engine 2.0, Python {}, today: no space left on the disk".format(
        evidence(fresh, "2.0").target.python
    )
    (small_disk / "filler").unlink()
    assert project.run(fresh, GOOD).states == {"ran"}


FILLS = """
import os
with open("filler", "wb", buffering=0) as out:
    while True:
        out.write(bytes(65536))
"""


def test_disk_that_fills_up_under_a_probe(small_disk: Path, clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    root = clone()
    before, measured = cells(evidence(root, "2.0")), evidence(root, "2.0").run.cells["loop"]
    append(root / "probes" / "fake" / "workflow.py")
    filling = root / "probes" / "fake" / "loop.py"
    filling.write_text(probes.probe("loop", "fake-engine", FILLS), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(small_disk))
        done = project.run(root, GOOD)
        (ended,) = done.ended.values()
        assert (ended.state, ended.message) == (
            "trouble",
            "1 cell(s) ended with an infrastructure error, such as loop: no space left on the disk",
        )
        after = cells(evidence(root, "2.0"))
        assert after["loop"] == before["loop"]
        assert evidence(root, "2.0").run.cells["loop"] == measured
        assert after["workflow"].inputs != before["workflow"].inputs
        assert after["workflow"].outcome is Outcome.PASS
        # it is asked again, and it alone
        assert project.run(root, GOOD).probes == {"loop"}
    filling.write_text(probes.probe("loop", "fake-engine", "claim.note('there is room')"), encoding="utf-8")
    assert project.run(root, GOOD).states == {"ran"}
    assert cells(evidence(root, "2.0"))["loop"].message == "there is room"


# --- interruption, and two at once -----------------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_stopping_keeps_what_was_finished(fresh: Path, how: signal.Signals) -> None:
    config = (fresh / "matrix.toml").read_text()
    config = config.replace('releases = ["1.0", "1.1", "newest"]', 'releases = ["1.3", "newest"]')
    (fresh / "matrix.toml").write_text(config)
    with Command(fresh, "--suite", "quick", "--jobs", "2") as command:
        # all but the one whose import hangs
        command.until(lambda: len(list((fresh / store.FOLDER).glob("*.json"))) == 3)
        command.stop(how)
    kept = {path.name: path.read_bytes() for path in (fresh / store.FOLDER).glob("*.json")}
    assert len(kept) == 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "IMPORT_SECONDS", 1.0)
        done = project.run(fresh)
    assert sorted(each.state for each in done.ended.values()) == ["current", "current", "current", "fault"]
    assert {name: (fresh / store.FOLDER / name).read_bytes() for name in kept} == kept


def test_stop_event_gives_a_target_up(clone: Clone) -> None:
    root = clone()
    before = result_file(root, name="hostile").read_bytes()
    opened = project.opened(root)
    planned = opened.plan(HOSTILE)
    stop = threading.Event()
    todo = schedule.sort(opened, planned, refresh=True, fetch=False).pending
    (each,) = todo
    ended = schedule._work(opened, each, True, _set(stop), project.Recorder(), True)
    assert (ended.state, ended.message) == ("trouble", "interrupted")
    assert result_file(root, name="hostile").read_bytes() == before


def test_an_environment_that_is_not_kept_is_made_again_when_it_is_needed(clone: Clone) -> None:
    root = clone()
    folder = Local(root).environment(evidence(root, "2.0").target)
    known = cells(evidence(root, "2.0")).keys()
    project.run(root, GOOD, refresh=True, keep_environments=False)
    assert not folder.exists()
    assert cells(evidence(root, "2.0")).keys() == known
    # nothing to do needs no environment
    assert project.run(root, GOOD).states == {"current"}
    append(root / "probes" / "fake" / "loop.py")
    assert project.run(root, GOOD).probes == {"loop"}
    assert folder.exists()


def test_below_the_disk_floor_no_target_is_begun(clone: Clone) -> None:
    root = clone()
    before = result_file(root).read_bytes()
    config = (root / "matrix.toml").read_text(encoding="utf-8")
    floor = "[settings]\ndisk-floor = 1e9\n"
    config = config.replace("[settings]\n", floor) if "[settings]" in config else floor + config
    (root / "matrix.toml").write_text(config, encoding="utf-8")
    done = project.run(root, GOOD, refresh=True)
    assert done.states == {"trouble"}
    (outcome,) = done.ended.values()
    assert "not begun: " in outcome.message
    assert "GB of the disk are free, and [settings] disk-floor is 1e+09" in outcome.message
    assert result_file(root).read_bytes() == before


def _set(stop: threading.Event) -> threading.Event:
    stop.set()
    return stop


def test_second_run_at_once_is_refused(fresh: Path) -> None:
    with Local(fresh).lock():
        with pytest.raises(InputError, match="another run is going on"):
            project.run(fresh, GOOD)
        # the other process holds it as well
        code = (
            f"from adk_probe.machine.state import Local; import pathlib\n"
            f"with Local(pathlib.Path({str(fresh)!r})).lock(): pass"
        )
        environment = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[2])}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
        assert done.returncode == 1
        assert b"another run is going on" in done.stderr
    with Local(fresh).lock():
        pass
