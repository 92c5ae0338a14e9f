"""Judge all the evidence of a project, by its declarations and what was accepted."""

from __future__ import annotations

import datetime

import msgspec

from adk_probe.evidence import gate, lock, store
from adk_probe.evidence.freshness import ruled_out
from adk_probe.evidence.judge import Evidence, Judgement, judge
from adk_probe.machine.state import Local
from adk_probe.model import TargetResult
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice


def judge_project(project: Project, choice: Choice, max_age: int | None) -> Judgement:
    """Judge all evidence there is, and name what is missing of a choice's targets and of what was accepted.

    Files that are no evidence are named in the judgement's ``notes``.

    Args:
        max_age: days for which evidence of the lane ``today`` counts as fresh; None looks at no age.
    """
    loaded = store.load(project.root)
    contradicted = {key: why for key, result in loaded.results.items() if (why := _ruled_out(project, result))}
    evidence = Evidence(
        {key: result for key, result in loaded.results.items() if key not in contradicted},
        {**{fault.key: fault.why for fault in loaded.faults}, **contradicted},
        gate.accepted(lock.load(project.root / lock.FILE)),
        Local(project.root).unavailable(),
    )
    verdicts = judge(project.config, project.catalog, project.plan(choice), evidence, today(), max_age)
    mismatched = {key: why for key, why in verdicts.unreadable.items() if key in loaded.results}
    lines = (f"{store.path_of(key)}: {why}" for key, why in mismatched.items())
    return msgspec.structs.replace(verdicts, notes=(*map(str, loaded.faults), *lines))


def _ruled_out(project: Project, result: TargetResult) -> str:
    rows = project.releases.engines.get(result.target.engine, ())
    return ruled_out(result, next((row for row in rows if row.version == result.target.release), None))


def today() -> datetime.date:
    """Return the day (UTC) on which evidence is judged."""
    return datetime.datetime.now(datetime.UTC).date()
