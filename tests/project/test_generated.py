"""The lock: what it says is read without building anything, and nobody believes it when it is out of date."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from generated_samples import ONE, TWO, change, codegen, declared, make

from adk_probe.errors import InputError
from adk_probe.model import Probe
from adk_probe.project import catalog, fidelity_cells, generated
from adk_probe.project.generated import LOCK

PROJECTS = {(stem, name) for stem in (ONE, TWO) for name in ("custom-agent", "cyclic-workflow")}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that is generated; not to be changed."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.delenv("ADK_PROBE_HOME", raising=False)
        root = make(tmp_path_factory.mktemp("generated") / "project")
        codegen(root)
    return root


@pytest.fixture
def root(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, without what is built."""
    monkeypatch.delenv("ADK_PROBE_HOME", raising=False)
    return Path(shutil.copytree(sample, tmp_path / "project", ignore=shutil.ignore_patterns(".adk-probe")))


def cells(root: Path) -> list[Probe]:
    rows = declared(root)
    return list(fidelity_cells.cells(root, rows, "google-adk", rows.engines["google-adk"]))


def outdated(root: Path) -> set[tuple[str, str]]:
    """The projects whose cells no evidence can be fresh of."""
    found = generated.outdated(root, declared(root), generated.load(root))
    names = {tuple(cell.id.split("/")[1:3]) for cell in cells(root) if LOCK in cell.inputs}
    assert names == found
    return set(found)


def test_cells_are_those_of_the_lock_and_nothing_is_built(root: Path) -> None:
    lock, found = generated.load(root), cells(root)
    assert [cell.id for cell in found] == [
        f"fidelity/{stem}/{name}/{scenario}"
        for stem, graph in sorted(lock.graphs.items())
        for name in sorted(graph.projects)
        for scenario in sorted(graph.jobs)
    ]
    for cell in found:
        _, stem, name, scenario = cell.id.split("/")
        graph = lock.graphs[stem]
        assert cell.inputs["project"] == graph.projects[name]
        assert cell.inputs["scenario"] == graph.jobs[scenario]
        assert f"{{generated}}/{stem}/{name}/{graph.name}" in cell.arguments
        assert f"{{generated}}/{stem}/scenarios/{scenario}.json" in cell.arguments
    assert outdated(root) == set()
    assert not generated.built(root).exists()


def test_a_graph_that_changed_makes_its_cells_stale(root: Path) -> None:
    path = root / "probes/graphs" / f"{ONE}.ir.json"
    path.write_bytes(path.read_bytes() + b"\n")
    assert outdated(root) == {project for project in PROJECTS if project[0] == ONE}


def test_scenarios_that_changed_make_their_cells_stale(root: Path) -> None:
    path = root / "probes/graphs" / f"{TWO}.scenarios.json"
    path.write_bytes(path.read_bytes() + b"\n")
    assert outdated(root) == {project for project in PROJECTS if project[0] == TWO}


def test_a_mechanism_that_is_declared_otherwise_makes_its_cells_stale(root: Path) -> None:
    change(root / "matrix.toml", 'releases = ">=2.0"', 'releases = ">=2.1"')
    assert outdated(root) == {project for project in PROJECTS if project[1] == "cyclic-workflow"}


def test_other_code_makes_all_stale(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated, "generator", lambda: "other code")
    assert outdated(root) == PROJECTS


def test_a_graph_that_is_new_makes_no_other_stale(root: Path) -> None:
    path = root / "probes/graphs" / f"{ONE}.ir.json"
    path.with_name("new.ir.json").write_bytes(path.read_bytes())
    assert outdated(root) == set()


def test_a_graph_that_is_gone_makes_its_own_cells_stale(root: Path) -> None:
    (root / "probes/graphs" / f"{ONE}.ir.json").unlink()
    assert outdated(root) == {project for project in PROJECTS if project[0] == ONE}


def test_the_generator_is_all_that_makes_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path(str(generated.__file__)).parents[1]
    monkeypatch.setattr(generated, "_HERE", tmp_path)
    for name in ("codegen", "graph"):
        shutil.copytree(here / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "generate").mkdir()
    for name in ("building.py", "jobs.py"):
        shutil.copy(here / "generate" / name, tmp_path / "generate")
    plain = generated.generator.__wrapped__
    before = plain()
    for name in (
        "codegen/templates/functions.py.j2",
        "codegen/support/values.py",
        "graph/reference/interpreter.py",
        "generate/building.py",
        "generate/jobs.py",
    ):
        data = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(data + b"\n")
        assert plain() != before, name
        (tmp_path / name).write_bytes(data)
    (tmp_path / "codegen/__pycache__").mkdir()
    (tmp_path / "codegen/__pycache__/emit.pyc").write_bytes(b"\0")
    assert plain() == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "it is missing"),
        ("", "Input data was truncated"),
        ("[]", "Expected `object`"),
        ('{"schema": "adk-probe.generated-lock/0", "generator": "", "mechanisms": {}, "graphs": {}}', "schema"),
        ('{"schema": "adk-probe.generated-lock/1", "generator": "", "mechanisms": {}}', "graphs"),
    ],
)
def test_a_lock_that_is_none_is_named_with_the_way_out(root: Path, text: str | None, words: str) -> None:
    (root / LOCK).unlink() if text is None else (root / LOCK).write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        catalog.load(root, declared(root))
    assert caught.value.message.startswith(LOCK)
    assert "adk-probe codegen" in caught.value.hint
    assert caught.value.exit_code == 2
