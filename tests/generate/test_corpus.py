"""``generated/`` holds a golden project a mechanism and the lock, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from generated_samples import ONE, TWO, change, codegen, declared, make

from adk_probe.cli.app import cli
from adk_probe.errors import InputError
from adk_probe.generate import building, corpus
from adk_probe.project import fidelity_cells, generated
from adk_probe.project.generated import LOCK

GOLDEN = {f"generated/{ONE}/custom-agent/critic_loop_once", f"generated/{TWO}/cyclic-workflow/guarded_step"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is generated."""
    monkeypatch.delenv("ADK_PROBE_HOME", raising=False)
    root = make(tmp_path / "project")
    assert LOCK in codegen(root)
    return root


def command(root: Path, *arguments: str) -> Any:
    """Run ``adk-probe codegen``; return its exit code."""
    return cli(["--root", str(root), "codegen", *arguments], standalone_mode=False)


def drifted(root: Path) -> list[str]:
    return corpus.drifted(root, declared(root), building.make(root, declared(root)))


def test_only_golden_projects_and_the_lock_are_written(root: Path) -> None:
    found = {path.relative_to(root).as_posix() for path in (root / "generated").glob("*/*/*")}
    assert found == GOLDEN
    assert sorted(path.name for path in (root / "generated").iterdir()) == sorted([ONE, TWO, "generated.lock.json"])
    assert drifted(root) == []
    assert codegen(root) == []


def test_a_golden_project_has_the_digest_that_the_lock_has(root: Path) -> None:
    lock = generated.load(root)
    made = building.make(root, declared(root))
    for place in GOLDEN:
        folder = root / place
        stem, name = place.split("/")[1:3]
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.name != ".adk-probe-manifest.json"
        }
        # of what it is proven on only a project that somebody generates speaks
        assert corpus.README not in files
        files[corpus.README] = made[stem].projects[name][corpus.README].encode()
        assert generated.digest_of(files) == lock.graphs[stem].projects[name]


def test_check_finds_what_differs_in_both_and_writes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(root, "--check") == 0
    file = root / f"generated/{ONE}/custom-agent/critic_loop_once/workflow.py"
    file.write_bytes(file.read_bytes() + b"\n")
    (root / LOCK).write_bytes((root / LOCK).read_bytes().replace(b'"jobs"', b'"jobz"'))
    (root / "generated" / ONE / "scenarios").mkdir()
    (root / "generated/mine.txt").write_text("mine")
    expected = [
        f"generated/{ONE}/custom-agent/critic_loop_once/workflow.py",
        f"generated/{ONE}/scenarios",
        LOCK,
        "generated/mine.txt",
    ]
    assert drifted(root) == sorted(expected)
    capsys.readouterr()
    assert command(root, "--check") == 1
    told = capsys.readouterr().out
    assert all(path in told for path in expected)
    assert "`adk-probe codegen`" in told
    assert drifted(root) == sorted(expected)
    assert command(root) == 0
    assert drifted(root) == []
    assert not (root / "generated/mine.txt").exists()


def test_the_lock_changes_with_the_code_though_no_project_does(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = generated.load(root)
    monkeypatch.setattr(generated, "generator", lambda: "other code")
    assert drifted(root) == [LOCK]
    codegen(root)
    assert generated.load(root).graphs == before.graphs


@pytest.mark.parametrize("golden", ["", "nonsense"])
def test_each_mechanism_has_a_golden_graph(root: Path, golden: str) -> None:
    change(root / "matrix.toml", f'golden = "{ONE}"', f'golden = "{golden}"')
    with pytest.raises(InputError) as caught:
        command(root)
    (fault,) = caught.value.faults
    assert fault.startswith(f"[mechanisms.custom-agent] golden: {golden!r}")
    assert f"{ONE}, {TWO}" in fault


def test_a_mechanism_that_is_generated_for_some_graphs_has_its_golden_one_among_them(root: Path) -> None:
    change(root / "matrix.toml", f'golden = "{ONE}"', f'golden = "{ONE}"\ngraphs = ["{TWO}"]')
    with pytest.raises(InputError) as caught:
        command(root)
    assert caught.value.faults[0].endswith(f"these are {TWO}")


def test_all_projects_and_jobs_go_where_they_are_wanted(root: Path, tmp_path: Path) -> None:
    before = (root / LOCK).read_bytes()
    assert command(root, "--out", str(tmp_path / "out")) == 0
    rows = declared(root)
    for cell in fidelity_cells.cells(root, rows, "google-adk", rows.engines["google-adk"]):
        for argument in cell.arguments:
            if "{generated}" in argument:
                assert Path(argument.replace("{generated}", str(tmp_path / "out"))).exists(), argument
    assert (root / LOCK).read_bytes() == before
    made = building.make(root, rows)
    assert corpus.export(tmp_path / "out", made) == []


def test_what_makes_no_sense_together_is_refused(root: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--check and --out"):
        command(root, "--check", "--out", str(tmp_path))


def test_what_is_built_of_graphs_that_are_gone_goes(root: Path) -> None:
    for path in (root / "probes/graphs").glob(f"{TWO}.*"):
        path.unlink()
    change(root / "matrix.toml", f'golden = "{TWO}"', f'golden = "{ONE}"')
    codegen(root)
    assert sorted(path.name for path in generated.built(root).iterdir()) == [ONE]
    assert sorted(path.name for path in (root / "generated").iterdir()) == [ONE, "generated.lock.json"]
