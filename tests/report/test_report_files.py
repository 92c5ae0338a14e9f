"""A report that cannot be made or written takes no other with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fake import project
from test_store import RESULT

from adk_probe.errors import InfrastructureError
from adk_probe.evidence import store
from adk_probe.evidence.judging import judge_project
from adk_probe.project.folder import open_project
from adk_probe.project.plan import Choice
from adk_probe.report import files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with evidence of one target."""
    made = project.make(tmp_path / "project", "3.12")
    store.save(made, RESULT)
    return made


@pytest.mark.parametrize("name", files.REPORTS)
def test_report_that_cannot_be_made(root: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    from adk_probe.report import html, junit, markdown

    whole = open_project(root)
    judgement = judge_project(whole, Choice(), None)
    places: dict[str, tuple[Any, str]] = {
        "matrix.json": (files, "matrix_json"),
        "matrix.md": (markdown, "render"),
        "matrix.html": (html, "render"),
        "junit.xml": (junit, "render"),
    }

    def broken(*_: Any) -> None:
        raise ZeroDivisionError("by no\ncolumn")

    monkeypatch.setattr(*places[name], broken)
    _, (fault,) = files.write_reports(whole, Choice())
    here = f"(test_report_files.py, line {broken.__code__.co_firstlineno + 1})"
    assert fault.message == f"reports/{name}: cannot be made: ZeroDivisionError: by no column {here}"
    assert fault.exit_code == 3
    others = {"releases.json", "timings.json", ".lock"}
    written = {path.name for path in (root / "reports").iterdir() if path.is_file()} - others
    assert written == set(files.REPORTS) - {name}
    with pytest.raises(InfrastructureError, match="ZeroDivisionError"):
        files.drifted_reports(whole, judgement, readme=False)


def test_report_that_cannot_be_written(root: Path) -> None:
    (root / "reports" / "matrix.json" / "mine").mkdir(parents=True)
    whole = open_project(root)
    _, (fault,) = files.write_reports(whole, Choice())
    assert fault.message == "reports/matrix.json: cannot be written: Is a directory"
    assert (root / "reports" / "junit.xml").is_file()


def test_readme_without_a_place_takes_no_report_along(root: Path) -> None:
    whole = open_project(root)
    _, (fault,) = files.write_reports(whole, Choice(), readme=True)
    assert fault.message == "README.md: cannot be read: No such file or directory"
    (root / "README.md").write_bytes(b"\xff")
    _, (fault,) = files.write_reports(whole, Choice(), readme=True)
    assert (fault.message, fault.exit_code) == ("README.md: not UTF-8 at byte 0", 2)
    assert all((root / "reports" / name).is_file() for name in files.REPORTS)
