"""Evidence as Markdown to paste."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from report_samples import CATALOG, SPLIT, check_golden, judgement, results, view

from adk_probe.errors import EvidenceError, InputError
from adk_probe.evidence.cells import Cell
from adk_probe.model import Lane, Outcome
from adk_probe.report.evidence import Subject, render, subject
from adk_probe.report.view import build

PROBE = '''# /// script
# requires-python = ">=3.9"
# dependencies = []
#
# [tool.adk-probe]
# id = "{id}"
# ///
"""A probe with ``` in its words."""

print(1)
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for probe in CATALOG.probes["toy"].values():
        path = tmp_path / probe.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PROBE.format(id=probe.id), encoding="utf-8")
    return tmp_path


def about(root: Path, probe: str = "loop", release: str = "2.4", python: str | None = "3.12", **rest: Any) -> Subject:
    return subject(root, view(), results(), probe, release, pythons=python and (python,), **rest)


@pytest.mark.parametrize("form", ["issue", "adr"])
def test_the_whole_text(root: Path, form: str) -> None:
    check_golden(f"evidence-{form}.md", render(about(root, against="2.3"), form))


@pytest.mark.parametrize("form", ["issue", "adr"])
def test_fences_hold_and_no_path_of_the_machine_is_told(root: Path, form: str) -> None:
    text = render(about(root, "sub/Thing"), form)
    # closing fences are as long as those that opened
    fences = re.findall(r"(?m)^(`{3,})\w*$", text)
    assert len(fences) % 2 == 0
    outside = "".join(re.split(r"(?ms)^(`{3,})\w*\n.*?^\1$", text)[::2])
    assert "<script" not in outside
    assert "@someone" not in outside
    crash = render(subject(root, view(), results(), "sub/Thing", "1.0", lane=Lane.AS_RELEASED), form)
    assert "/home/ann" not in crash
    assert "exclude-newer" in crash
    assert str(root) not in text + crash


def test_without_a_python_the_newest_one_with_an_answer_is_taken(root: Path) -> None:
    # 3.13 is unavailable and says nothing
    assert about(root, python=None).case.target == SPLIT


def test_what_is_the_same_in_two_releases_is_said_to_be(root: Path) -> None:
    assert "Facts are the same." in render(about(root, "import", against="2.3"))
    same = {result.target.key: result for result in results().values()}
    other = msgspec.structs.replace(same["toy-2.3-py3.12-today"], target=SPLIT)
    text = render(subject(root, view(), {**same, SPLIT.key: other}, "import", "2.4", "2.3", "3.12"))
    assert "Pins are the same." in text


def test_stale_evidence_is_said_to_be_stale(root: Path) -> None:
    assert "stale: kit, pins changed" in render(about(root, "old-way"))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"probe": "nothing"}, InputError),
        ({"release": "9.9"}, InputError),
        ({"release": ">=2"}, InputError),
        ({"against": "2.2"}, EvidenceError),
        ({"python": "3.9"}, EvidenceError),
        ({"engine": "other"}, InputError),
    ],
)
def test_what_is_not_there_is_named(root: Path, options: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error):
        about(root, **options)


def test_an_unknown_form_is_refused(root: Path) -> None:
    with pytest.raises(InputError, match="pdf"):
        render(about(root), "pdf")


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_its_words(root: Path, outcome: Outcome) -> None:
    shown = view()
    cells = tuple(
        Cell("loop", cell.target, outcome, "") if (cell.probe, cell.target) == ("loop", SPLIT) else cell
        for cell in judgement().cells
    )
    judged = msgspec.structs.replace(judgement(), cells=cells)
    shown = build(shown.config, shown.catalog, shown.releases, judged)
    text = render(subject(root, shown, {}, "loop", "2.4", pythons=("3.12",)))
    assert "on toy 2.4 (Python 3.12, today)." in text
