"""What is committed is what the code makes of it: projects, reports, the gate's lock; and it names no machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adk_probe.cli import app
from adk_probe.evidence import gate, lock
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.judging import judge_project, settled
from adk_probe.generate import building, corpus
from adk_probe.project import config, releases
from adk_probe.project.folder import MATRIX_FILE, RELEASES_FILE, Project, open_project
from adk_probe.project.plan import Choice
from adk_probe.report import files
from adk_probe.scaffold import skeleton

ROOT = Path(__file__).parent.parent
# homes and places that machines have, and addresses of package indexes
PLACES = re.compile(
    rb"(?<![\w.<])/(?:root|home/\w|Users/\w|work/|tmp/\w|opt/\w)|https?://[\w.-]*pypi|files\.pythonhosted"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    # what this machine lacks must not show in what is compared
    monkeypatch.setenv("ADK_PROBE_HOME", str(tmp_path))
    return open_project(ROOT)


@pytest.fixture
def judgement(project: Project) -> Judgement:
    return judge_project(project, Choice(), None)


def test_generated_projects_are_as_generated() -> None:
    declared = config.load(ROOT / MATRIX_FILE)
    made = building.make(ROOT, declared, cached=False)
    assert sum(len(each.projects) for each in made.values()) > 80
    assert corpus.drifted(ROOT, declared, made) == []


def test_committed_evidence_is_whole_and_fresh(project: Project, judgement: Judgement) -> None:
    assert judgement.notes == ()
    # what was never run is no evidence that is missing
    _, before = settled(project, judgement)
    assert [target.key for target in before.missing] == []
    assert sorted({cell.target.key for cell in before.cells if cell.changed}) == []


def test_committed_reports_are_what_the_evidence_gives(project: Project, judgement: Judgement) -> None:
    assert files.drifted_reports(project, judgement, readme=True) == []


def test_committed_page_of_changes_is_what_the_evidence_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADK_PROBE_HOME", str(tmp_path))
    page = tmp_path / "page.md"
    command = ["adk-probe", "--root", str(ROOT), "changes", "--out", str(page)]
    monkeypatch.setattr("sys.argv", command)
    assert app.main() == 0
    assert page.read_bytes() == (ROOT / "docs/what-changed-when.md").read_bytes()


def test_committed_lock_accepts_the_evidence(judgement: Judgement) -> None:
    assert [str(change) for change in gate.compare(judgement, lock.load(ROOT / lock.FILE))] == []


def test_no_skeleton_is_left_to_be_written() -> None:
    found = skeleton.unfinished(ROOT)
    assert not found, f"write what these are to say, and remove {skeleton.NOT_WRITTEN!r}: {', '.join(found)}"


def test_reports_name_no_machine() -> None:
    for path in sorted((ROOT / "reports").rglob("*")):
        if path.is_file():
            found = PLACES.search(path.read_bytes())
            assert found is None, f"{path.name}: {found.group()!r}"


def test_every_target_of_the_quick_suite_and_of_other_engines_has_a_session() -> None:
    from adk_probe.project.nox_sessions import pairs

    found = pairs(ROOT)
    assert {pair.engine for pair in found} == {
        name for name, known in releases.load(ROOT / RELEASES_FILE).engines.items() if known
    }
    names = [pair.session for pair in found]
    assert "target-3.12(google_adk='2.0.0')" in names
    assert "target-3.12(loopgraph='0.5.1')" in names
    assert len(names) == len(set(names))
