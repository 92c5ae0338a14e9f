"""The real engine, from the package index: what is known of three releases must come out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fake import project
from fake.project import REPOSITORY, cells, evidence

from adk_probe.errors import ProbeError
from adk_probe.execution import interpreters
from adk_probe.model import Outcome
from adk_probe.project.index import update
from adk_probe.project.plan import Choice

pytestmark = pytest.mark.real

PROBES = ("cyclic-router-edges", "loop-agent-run", "model-stub", "unrouted-cycle-rejected")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository's declarations, in which three releases were run."""
    found = interpreters.find(["3.11", "3.12", "3.13"])
    if not found:
        pytest.skip("none of Python 3.11 to 3.13 is found here")
    root = tmp_path_factory.mktemp("real") / "project"
    root.mkdir()
    shutil.copy(REPOSITORY / "matrix.toml", root)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "probes", root / "probes", ignore=ignored)
    if (REPOSITORY / "generated").is_dir():
        shutil.copytree(REPOSITORY / "generated", root / "generated", ignore=ignored)
    engines = project.config_of(root).engines
    try:
        update(root / "reports" / "releases.json", {"google-adk": engines["google-adk"]})
    except ProbeError as error:
        pytest.skip(f"the package index cannot be asked: {error.message}")
    python = max(found, key=lambda name: name == "3.12")
    for release in ("1.39.1", "2.0.0", "newest"):
        done = project.run(root, Choice(engine="google-adk", release=release, python=python, probes=PROBES))
        if done.states == {"trouble"}:
            pytest.skip(f"the environment cannot be made here: {next(iter(done.ended.values())).message}")
    return root


def outcomes(root: Path, release: str) -> dict[str, Outcome]:
    result = evidence(root, release, engine="google-adk")
    assert result.controlled, result.fault
    return {name: cell.outcome for name, cell in cells(result).items()}


def newest(root: Path) -> str:
    (release,) = project.opened(root).releases.choose("google-adk", "newest")
    return release.version


def test_last_of_1_x_has_loops_and_no_workflow(root: Path) -> None:
    assert outcomes(root, "1.39.1") == {
        "cyclic-router-edges": Outcome.ABSENT,
        "loop-agent-run": Outcome.PASS,
        "model-stub": Outcome.PASS,
        "unrouted-cycle-rejected": Outcome.ABSENT,
    }


def test_first_of_2_x_has_workflows(root: Path) -> None:
    found = outcomes(root, "2.0.0")
    assert found["cyclic-router-edges"] is Outcome.PASS
    assert found["model-stub"] is Outcome.PASS
    assert found["unrouted-cycle-rejected"] is Outcome.PASS


def test_newest_gives_an_answer_to_everything(root: Path) -> None:
    found = outcomes(root, newest(root))
    assert sorted(found) == sorted(PROBES)
    assert found["model-stub"] is Outcome.PASS
    assert Outcome.ERROR not in found.values()


def test_pins_hold_the_release_and_nothing_of_ours(root: Path) -> None:
    for release in ("1.39.1", "2.0.0", newest(root)):
        environment = evidence(root, release, engine="google-adk").environment
        assert environment is not None
        assert f"google-adk=={release}" in environment.pins
        assert not [pin for pin in environment.pins if pin.startswith(("adk-probe", "msgspec=="))]


def test_evidence_holds_no_place_of_this_machine(root: Path) -> None:
    for path in (root / "reports" / "results").glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert str(root) not in text
        assert f"{Path.home()}/" not in text


def test_second_run_does_nothing(root: Path) -> None:
    (python,) = {result.target.python for result in [evidence(root, "2.0.0", engine="google-adk")]}
    done = project.run(root, Choice(engine="google-adk", release="2.0.0", python=python, probes=PROBES))
    assert done.states == {"current"}
