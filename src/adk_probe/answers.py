"""What may be used for a range of releases and Pythons: the question of the generator and of ``allowed``."""

from __future__ import annotations

import msgspec
from packaging.specifiers import SpecifierSet

from adk_probe.errors import InputError
from adk_probe.judge import Answer, Judgement, over_range
from adk_probe.matrix import NEWEST, specifier
from adk_probe.model import Lane, Target, Verdict
from adk_probe.plan import python_specifier
from adk_probe.project import Project

ALLOWED_SCHEMA = "adk-probe.allowed/1"


class Allowed(msgspec.Struct, frozen=True):
    """The answer for a range, mechanisms in order of preference.

    Attributes:
        tested: versions of the range that were tested, by engine, in words.
        untested: final releases of the range that were not, by engine.
    """

    schema: str
    release: str
    python: str
    lane: Lane
    allowed: bool
    tested: dict[str, tuple[str, ...]]
    untested: dict[str, tuple[str, ...]]
    mechanisms: tuple[Answer, ...]


def ask(
    project: Project, judgement: Judgement, *, release: str, python: str, lane: str, engine: str | None = None
) -> Allowed:
    """Return the verdict on every mechanism over a range.

    Args:
        release: ``newest``, a version or a PEP 440 specifier.
        python: a Python like ``3.12``, or a PEP 440 specifier.

    Raises:
        InputError: the range names nothing that there is.
    """
    if engine is not None and engine not in project.matrix.engines:
        raise InputError(f"no engine {engine!r}", f"There are: {', '.join(sorted(project.matrix.engines))}.")
    wanted = {each: _releases(project, each, release) for each in project.matrix.engines if engine in (None, each)}
    if not any(wanted.values()):
        # says what is wrong with the range
        project.releases.choose(engine or next(iter(project.matrix.engines)), release)
    pythons = python_specifier(python)
    targets = [
        target
        for target in judgement.targets
        if target.lane == lane and target.release in wanted.get(target.engine, ()) and _fits(target, pythons)
    ]
    versions = {each: tuple(dict.fromkeys(t.release for t in targets if t.engine == each)) for each in wanted}
    command = f"adk-probe run --release '{release}'" + (f" --python {python}" if python[:1].isdigit() else "")
    mechanisms = [
        answer
        for each in wanted
        for answer in over_range(project.matrix, judgement, each, [t for t in targets if t.engine == each], command)
    ]
    return Allowed(
        ALLOWED_SCHEMA,
        release,
        python,
        Lane(lane),
        any(answer.verdict is Verdict.ALLOWED for answer in mechanisms if not answer.guarded),
        versions,
        {each: tuple(v for v in wanted[each] if v not in versions[each]) for each in wanted},
        tuple(mechanisms),
    )


def _releases(project: Project, engine: str, release: str) -> list[str]:
    known = project.releases.engines.get(engine, ())
    if not known:
        return []
    if release == NEWEST:
        return [each.version for each in project.releases.choose(engine, release)]
    chosen = specifier(release)
    exact = [each.version for each in known if chosen.contains(each.version, prereleases=True)]
    final = [each.version for each in known if each.final and each.version in exact]
    return final or exact


def _fits(target: Target, pythons: SpecifierSet) -> bool:
    # 3.12 as a release of Python stands for all of its patch releases
    return pythons.contains(target.python) or pythons.contains(f"{target.python}.99")


def releases_specifier(answer: Allowed, engine: str) -> str:
    """Return the range of an answer as a PEP 440 specifier, for what a generated project says it runs on."""
    if answer.release == NEWEST:
        return f"=={answer.tested[engine][-1]}"
    return str(specifier(answer.release))
