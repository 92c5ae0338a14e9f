"""Only releases without any evidence are new, and what the newest one changes is said against the one before."""

from __future__ import annotations

from pathlib import Path

import paper
import pytest
from paper import keep, target

from adk_probe.cli import newest
from adk_probe.evidence.judging import judge_project
from adk_probe.model import RELEASES_SCHEMA, Lane, Outcome, Release
from adk_probe.project import releases
from adk_probe.project.folder import open_project
from adk_probe.project.plan import Choice
from adk_probe.project.releases import News, Releases

EVERY = Choice(release=">=1", engine="one")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return paper.make(tmp_path)


def test_a_release_with_any_evidence_is_not_new(root: Path) -> None:
    project = open_project(root)
    planned = project.plan(EVERY)
    assert {item.target.release for item in newest.untested(project, planned)} == {"1.0", "1.1", "2.0"}
    keep(root, target("1.0", "3.11"))
    keep(root, target("1.1", lane=Lane.AS_RELEASED))
    assert {item.target.release for item in newest.untested(project, planned)} == {"2.0"}


def test_the_newest_is_compared_with_the_tested_one_before_it(root: Path) -> None:
    keep(root, target("1.0"), {"a": Outcome.PASS, "b": Outcome.PASS, "c": Outcome.FAIL})
    keep(root, target("2.0"), {"a": Outcome.PASS, "b": Outcome.FAIL, "c": Outcome.FAIL})
    keep(root, target("2.0", "3.11"))
    project = open_project(root)
    judgement = judge_project(project, Choice(), None)
    found = newest.changes_of_newest(project, judgement, [target("2.0"), target("2.0", "3.11"), target("1.0")])
    assert [(each.old.release, each.new.key) for each in found] == [("1.0", "one-2.0-py3.12-today")]
    assert newest.turned(found)
    said = newest.summary(found)
    assert said.startswith("## one 1.0, Python 3.12, today → 2.0\n")
    assert "| loop |" in said


def test_without_a_new_release_nothing_is_said_to_have_changed(root: Path) -> None:
    project = open_project(root)
    found = newest.changes_of_newest(project, judge_project(project, Choice(), None), [])
    assert (found, newest.turned(found), newest.summary(found)) == (
        [],
        False,
        "No release is new: each has evidence already.",
    )


def test_news_of_the_index() -> None:
    day = "2024-01-01T00:00:00Z"
    rows = (Release("1.0", day), Release("1.1", day), Release("1.2", day), Release("1.3", day))
    before = Releases(RELEASES_SCHEMA, {"one": rows, "two": rows})
    after = (Release("1.0", day, yanked=True), Release("1.2", "2024-02-01T00:00:00Z"), rows[3], Release("2.0", day))
    found = releases.news(before, Releases(RELEASES_SCHEMA, {"one": after, "two": rows}))
    assert found == {"one": News(("2.0",), ("1.0",), ("1.2",), ("1.1",))}
    assert set(releases.news(None, before)) == {"one", "two"}
