"""Judge all the evidence of a project, by its declarations and what was accepted."""

from __future__ import annotations

import datetime

import msgspec

from adk_probe.evidence import gate, not_run, store
from adk_probe.evidence import lock as lock_file
from adk_probe.evidence.freshness import ruled_out
from adk_probe.evidence.judge import Evidence, Judgement, judge
from adk_probe.evidence.not_run import NotRun
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
    loaded, lock = store.load(project.root), lock_file.load(project.root / lock_file.FILE)
    contradicted = {key: why for key, result in loaded.results.items() if (why := _ruled_out(project, result))}
    evidence = Evidence(
        {key: result for key, result in loaded.results.items() if key not in contradicted},
        {**{fault.key: fault.why for fault in loaded.faults}, **contradicted},
        gate.accepted(lock),
        Local(project.root).unavailable(),
    )
    planned, day = project.plan(choice), today()
    verdicts = judge(project.config, project.catalog, planned, evidence, day, max_age)
    mismatched = {key: why for key, why in verdicts.unreadable.items() if key in loaded.results}
    lines = (f"{store.path_of(key)}: {why}" for key, why in mismatched.items())
    noted = msgspec.structs.replace(verdicts, notes=(*map(str, loaded.faults), *lines))
    known = not_run.known(loaded.results, evidence.unreadable, lock.cells, lock.mechanisms)
    # where nothing was ever accepted, there is nothing that would have to stay as it was
    new = not_run.find(project.config, project.catalog, known) if lock.cells else NotRun()
    if not new:
        return noted
    config, catalog = not_run.without(project.config, project.catalog, new)
    old = [item for item in planned if item.target.engine in config.engines]
    settled = judge(config, catalog, old, evidence, day, max_age)
    settled = msgspec.structs.replace(settled, notes=noted.notes)
    return msgspec.structs.replace(noted, not_run=new, settled=settled)


def settled(project: Project, judgement: Judgement) -> tuple[Project, Judgement]:
    """Return a project and its judgement as they are without what was never run."""
    if judgement.settled is None:
        return project, judgement
    config, catalog = not_run.without(project.config, project.catalog, judgement.not_run)
    return msgspec.structs.replace(project, config=config, catalog=catalog), judgement.settled


def _ruled_out(project: Project, result: TargetResult) -> str:
    rows = project.releases.engines.get(result.target.engine, ())
    return ruled_out(result, next((row for row in rows if row.version == result.target.release), None))


def today() -> datetime.date:
    """Return the day (UTC) on which evidence is judged."""
    return datetime.datetime.now(datetime.UTC).date()
