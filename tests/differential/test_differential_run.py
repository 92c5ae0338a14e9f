"""The differential test itself: with a runner that only pretends, and a few examples on the real engine."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from adk_probe import differential
from adk_probe.codegen import MARK
from adk_probe.differential import compare, running
from adk_probe.differential.engine import ProjectOutcome, Warm
from adk_probe.errors import InfrastructureError, InputError, ProbeError
from adk_probe.generate.source import valid_ir
from adk_probe.graph.reading.scenario import read_scenarios
from adk_probe.project.config import Engine

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = 8


class Pretended:
    """Stands for an engine on which no loop works."""

    def __init__(self, python: Path, root: Path, engine: Engine) -> None:
        self.scratch = Path(root) / "scratch"

    def __enter__(self) -> Pretended:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def run(self, project: Path, job: dict[str, object]) -> ProjectOutcome:
        if "loop" in str(job["nodes"]):
            return ProjectOutcome("fail", "no loops", {"where": "error", "seen": {"code": "X"}, "expected": None})
        return ProjectOutcome("pass", "")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(REPOSITORY / "matrix.toml", tmp_path)
    monkeypatch.setattr(running, "Warm", Pretended)
    monkeypatch.setattr(running, "release_of", lambda *_: "2.13.0")
    monkeypatch.setattr(compare, "emit", lambda *_: {"agent.py": f"# {MARK}\n"})
    return tmp_path


def pretend(root: Path, examples: int = 30, seed: int = 0) -> differential.Report:
    return differential.run(Path("python"), examples, root=root, seed=seed, mechanisms=["custom-agent"])


def test_failures_are_shrunk_and_saved_as_graphs(root: Path) -> None:
    report = pretend(root)
    assert report.examples == 30
    assert report.counts.cells["custom-agent"] + report.counts.refused["custom-agent"] == 30
    (failure,) = report.failures
    assert failure.name == "01-custom-agent-error-too"
    folder = root / differential.FOLDER
    source = valid_ir(folder / f"{failure.name}.ir.json")
    assert "LoopNode" in [type(node).__name__ for node in source.graph.nodes]
    assert len(source.graph.nodes) <= 2
    saved = folder / f"{failure.name}.scenarios.json"
    assert len(read_scenarios(saved.read_bytes(), saved.name, source.graph)) == 1
    assert any("no loops" in line for line in report.lines)


def test_the_same_seed_finds_the_same(root: Path) -> None:
    first, second = pretend(root, 12, 3), pretend(root, 12, 3)
    assert first.failures == second.failures
    assert first.counts == second.counts


def test_shrinking_ends_when_its_time_is_up(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SHRINK_SECONDS", 0.0)
    report = pretend(root, 12)
    assert report.examples == 12
    assert len(report.failures) == 1


def test_what_happens_only_once_is_no_failure(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[str] = set()

    def once(self: object, project: Path, job: dict[str, object]) -> ProjectOutcome:
        again = str(job) in seen
        seen.add(str(job))
        return ProjectOutcome("pass" if again else "fail", "flickers")

    monkeypatch.setattr(Pretended, "run", once)
    report = pretend(root, 5)
    assert report.failures == []
    assert len(report.unsteady) == report.counts.cells["custom-agent"]
    assert report.counts.divergences["custom-agent"] == 0


def test_what_the_generator_trips_over_is_a_failure(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def trip(*_: object) -> dict[str, str]:
        raise KeyError("x")

    monkeypatch.setattr(compare, "emit", trip)
    report = pretend(root, 5)
    assert [failure.divergences[0].kind for failure in report.failures] == ["generator KeyError"]


def test_an_unknown_mechanism_or_engine_is_refused(root: Path) -> None:
    with pytest.raises(InputError, match="no mechanism"):
        differential.run(Path("python"), 1, root=root, mechanisms=["guessing"])
    with pytest.raises(InputError, match="no engine"):
        differential.run(Path("python"), 1, root=root, engine="steam")


def test_a_python_without_the_engine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="there is no"):
        differential.run(tmp_path / "python", 1, root=REPOSITORY)


@pytest.mark.real
def test_every_mechanism_does_on_the_newest_release_what_the_reference_says(tmp_path: Path) -> None:
    try:
        python = differential.environment(REPOSITORY)
    except ProbeError as error:
        pytest.skip(f"the environment cannot be made here: {error.message}")
    report = differential.run(python, EXAMPLES, root=REPOSITORY, seed=1, folder=tmp_path)
    assert report.failures == [], "\n".join(report.lines)
    assert report.examples == EXAMPLES
    assert len(report.counts.cells) >= 5


@pytest.mark.real
def test_a_process_that_cannot_import_the_engine_says_so(tmp_path: Path) -> None:
    engine = Engine(distribution="x", import_="no_such_engine", probes="probes", fidelity="probes/x.py")
    with pytest.raises(InfrastructureError, match="cannot be imported"), Warm(Path(sys.executable), tmp_path, engine):
        pass


def test_a_full_disk_is_no_fault_of_the_generator(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise InfrastructureError("the temporary folder: cannot be written: No space left on device")

    monkeypatch.setattr(compare, "emit", full)
    with pytest.raises(InfrastructureError, match="No space left"):
        pretend(root)
