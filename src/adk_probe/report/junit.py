"""The matrix as JUnit XML: a suite a target, a case a probe; pure."""

from __future__ import annotations

import io
from collections.abc import Iterable

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from adk_probe.evidence.cells import Cell
from adk_probe.model import Outcome, Target
from adk_probe.report.escape import xml
from adk_probe.report.view import View


def render(view: View) -> bytes:
    """Return the XML in UTF-8; a false claim is a failure, and what is no answer about the engine is skipped."""
    document = JUnitXml("adk-probe")
    for target in view.judgement.targets:
        document.add_testsuite(_suite(view, target))
    out = io.BytesIO()
    document.write(out)
    return out.getvalue() + b"\n"


def _suite(view: View, target: Target) -> TestSuite:
    suite = TestSuite(target.label)
    cells = view.judgement.of(target)
    cases = []
    for probe in sorted(view.catalog.probes[target.engine]):
        case = TestCase(probe, classname=target.key)
        case.result = list(_results(view, target, probe, cells.get(probe)))
        cases.append(case)
    # all at once, since the suite counts again with each call
    suite.add_testcases(cases)
    return suite


def _results(view: View, target: Target, probe: str, cell: Cell | None) -> Iterable[Skipped | Failure | Error]:
    if cell is None:
        yield Skipped("not run")
    elif cell.changed:
        # what was seen with other code, or other dependencies, is no evidence for these
        yield Skipped(xml(f"stale ({', '.join(cell.changed)} changed); was {cell.outcome}: {cell.message}"))
    elif cell.outcome in (Outcome.ABSENT, Outcome.UNSUPPORTED, Outcome.UNAVAILABLE):
        yield Skipped(xml(f"{cell.outcome}: {cell.message}"))
    elif cell.outcome is not Outcome.PASS:
        error = cell.outcome is Outcome.ERROR
        result = Error(xml(cell.message), str(cell.kind)) if error else Failure(xml(cell.message), "fail")
        claim = view.catalog.probes[target.engine][probe].claim
        result.text = xml(f"claim: {claim}\nseen: {cell.message}\nagain: {view.command(target, probe)}\n")
        yield result
