"""The JUnit XML can be read by a reader of JUnit XML, and counts what a CI should count."""

from __future__ import annotations

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite
from report_samples import PROBES, SPLIT, view

from adk_probe.report.junit import render


def suites() -> dict[str, TestSuite]:
    return {suite.name: suite for suite in JUnitXml.fromstring(render(view()))}


def results(suite: TestSuite) -> dict[str, list[object]]:
    return {case.name: list(case.result) for case in suite if isinstance(case, TestCase)}


def test_every_target_is_a_suite_with_a_case_a_probe() -> None:
    found = suites()
    assert list(found) == [target.label for target in view().judgement.targets]
    assert all(sorted(results(suite)) == sorted(PROBES) for suite in found.values())


def test_outcomes_are_told_apart() -> None:
    found = suites()
    split = results(found[SPLIT.label])
    assert split["import"] == []
    (loop,) = split["loop"]
    assert isinstance(loop, Failure)
    assert loop.message == "saw 4 passes, expected 3"
    assert "probes/toy/loop.py" in (loop.text or "")
    old = results(found["toy 1.0, Python 3.11, as-released"])
    assert isinstance(old["loop"][0], Skipped)
    assert isinstance(old["sub/Thing"][0], Error)
    assert old["sub/Thing"][0].type == "crash"


def test_stale_evidence_and_what_was_never_run_count_as_skipped() -> None:
    found = suites()
    (stale,) = results(found[SPLIT.label])["old-way"]
    assert isinstance(stale, Skipped)
    assert stale.message == "stale (kit, pins changed); was pass: works"
    for label in ("toy 3.0rc1, Python 3.12, today", "toy 2.4, Python 3.13, today", "toy 2.3, Python 3.13, today"):
        assert all(isinstance(row[0], Skipped) for row in results(found[label]).values())


def test_the_sums_are_right() -> None:
    document = JUnitXml.fromstring(render(view()))
    counts = document.tests, document.failures, document.errors
    every = [result for suite in document for row in results(suite).values() for result in row]
    assert counts == (
        len(view().judgement.targets) * len(PROBES),
        sum(isinstance(result, Failure) for result in every),
        sum(isinstance(result, Error) for result in every),
    )


def test_it_is_the_same_each_time_and_ends_in_a_line_end() -> None:
    assert render(view()) == render(view())
    assert render(view()).endswith(b">\n")
