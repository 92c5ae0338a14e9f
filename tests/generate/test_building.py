"""What is built is built once, is what the lock says, and is built again when it is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from generated_samples import ONE, TWO, change, codegen, declared, make

from adk_probe.cli.app import cli
from adk_probe.errors import InfrastructureError, InputError
from adk_probe.execution import schedule
from adk_probe.files import to_json
from adk_probe.generate import building
from adk_probe.generate.building import STAMP
from adk_probe.project import generated
from adk_probe.project.config import Config
from adk_probe.project.generated import LOCK, SCHEMA, Declared, GraphLock, Lock


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is generated and built."""
    monkeypatch.delenv("ADK_PROBE_HOME", raising=False)
    root = make(tmp_path / "project")
    codegen(root)
    return root


@pytest.fixture
def generates(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The graphs of which something is generated from now on."""
    seen: list[str] = []
    plain = building._generate

    def noted(root: Path, config: Config, stems: list[str]) -> dict[str, building.Made]:
        seen.extend(stems)
        return plain(root, config, stems)

    monkeypatch.setattr(building, "_generate", noted)
    return seen


def ready(root: Path, *stems: str) -> None:
    building.ready(root, declared(root), stems)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_built_is_what_is_made(root: Path, generates: list[str]) -> None:
    fresh = building.make(root, declared(root), cached=False)
    assert generates == [ONE, TWO]
    found = {path: data for path, data in files(generated.built(root)).items() if not path.endswith(STAMP)}
    assert found == {path: data for stem, made in fresh.items() for path, data in made.files(stem).items()}
    assert building.make(root, declared(root)) == fresh
    assert generates == [ONE, TWO], "what is built was generated again"


def test_a_fresh_machine_builds_what_is_asked_for(root: Path, generates: list[str]) -> None:
    shutil.rmtree(generated.built(root))
    ready(root)
    assert generates == []
    ready(root, TWO)
    assert generates == [TWO]
    assert sorted(path.name for path in generated.built(root).iterdir()) == [TWO]
    ready(root, TWO, ONE)
    assert generates == [TWO, ONE]


@pytest.mark.parametrize("damage", ["changed", "missing", "more", "job", "stamp"])
def test_what_was_changed_by_other_means_is_built_again(root: Path, generates: list[str], damage: str) -> None:
    folder = generated.built(root)
    before = files(folder)
    project = folder / ONE / "custom-agent" / generated.load(root).graphs[ONE].name
    match damage:
        case "changed":
            (project / "workflow.py").write_bytes((project / "workflow.py").read_bytes() + b"\n")
        case "missing":
            (project / "workflow.py").unlink()
        case "more":
            (project / "more.py").write_text("")
        case "job":
            next((folder / ONE / "scenarios").iterdir()).write_text("{}")
        case "stamp":
            (folder / ONE / STAMP).write_text("{}")
    ready(root, ONE, TWO)
    assert generates == [ONE]
    assert files(folder) == before


def test_bytecode_is_no_damage(root: Path, generates: list[str]) -> None:
    project = generated.built(root) / ONE / "custom-agent" / generated.load(root).graphs[ONE].name
    (project / "support/__pycache__").mkdir()
    (project / "support/__pycache__/values.pyc").write_bytes(b"\0")
    ready(root, ONE)
    assert generates == []


def test_a_graph_that_changed_is_made_again_and_no_other(root: Path, generates: list[str]) -> None:
    change(root / "probes/graphs" / f"{ONE}.ir.json", "A loop and the step after it.", "A loop.")
    before = generated.load(root)
    made = building.make(root, declared(root), keep=True)
    assert generates == [ONE]
    assert made[TWO].lock == before.graphs[TWO]
    assert made[ONE].lock != before.graphs[ONE]


def test_nothing_runs_on_a_lock_that_is_out_of_date(root: Path, generates: list[str]) -> None:
    path = root / "probes/graphs" / f"{ONE}.scenarios.json"
    path.write_bytes(path.read_bytes() + b"\n")
    ready(root, TWO)
    with pytest.raises(InputError, match=f"is not what is generated from {ONE}") as caught:
        ready(root, ONE, TWO)
    assert caught.value.message.startswith(LOCK)
    assert "adk-probe codegen" in caught.value.hint
    assert generates == []
    codegen(root)
    ready(root, ONE, TWO)


@pytest.mark.parametrize("part", ["projects", "jobs"])
def test_a_digest_that_is_not_that_of_what_is_built_is_not_believed(root: Path, part: str) -> None:
    graph = generated.load(root).graphs[ONE]
    digest = next(iter(getattr(graph, part).values()))
    change(root / LOCK, digest, digest[::-1])
    assert generated.outdated(root, declared(root), generated.load(root)) == frozenset()
    with pytest.raises(InputError, match=f"is not what is generated from {ONE}"):
        ready(root, ONE)
    ready(root, TWO)


def test_a_graph_that_the_lock_does_not_know_is_not_run(root: Path) -> None:
    with pytest.raises(InputError, match="generated from nonsense"):
        ready(root, "nonsense")


def test_a_graph_without_scenarios_is_a_fault(root: Path) -> None:
    (root / "probes/graphs" / f"{ONE}.scenarios.json").unlink()
    with pytest.raises(InputError, match=rf"{ONE}.ir.json: it has no {ONE}.scenarios.json"):
        building.make(root, declared(root))


def test_a_folder_that_cannot_be_written_is_our_own_infrastructure_error(root: Path) -> None:
    shutil.rmtree(generated.built(root))
    generated.built(root).write_text("in the way")
    with pytest.raises(InfrastructureError, match="cannot be built"):
        ready(root, ONE)


def never(*arguments: object, **options: object) -> None:
    raise AssertionError(f"must not be called: {arguments}")


def test_a_run_of_what_the_lock_is_wrong_about_starts_nothing(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(fresh / "matrix.toml", 'probes = "probes/fake"', 'probes = "probes/fake"\nfidelity = "probes/played.py"')
    change(
        fresh / "matrix.toml",
        'sentence = "the old loop"',
        'sentence = "the old loop"\nneeds = []',
    )
    (fresh / "probes/played.py").write_text("# a runner\n")
    graph = GraphLock("its source", "x", {"loop": "its project"}, {"once": "its job"})
    lock = Lock(SCHEMA, "some code", {"loop": Declared(">=1.0", ())}, {"x": graph})
    (fresh / "generated").mkdir()
    (fresh / LOCK).write_bytes(to_json(lock))
    monkeypatch.setattr(schedule, "execute", never)
    run = ["--root", str(fresh), "run", "--release", "2.0", "--engine", "fake-engine", "--probe", "fidelity/*"]
    assert cli([*run, "--explain"], standalone_mode=False) == 0
    with pytest.raises(InputError, match="is not what is generated from x"):
        cli(run, standalone_mode=False)
