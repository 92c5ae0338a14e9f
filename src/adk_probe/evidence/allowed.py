"""What may be used for a range of releases and Pythons: the question of the generator and of ``allowed``; pure.

The rule: a mechanism is allowed only where every final release in the range was tested on every Python of the range
that it admits, and every claim that the mechanism requires passed there. What nobody ran is a doubt, never a yes.
Scenarios that were not played on a Python count as they came out on another, with the same release and lane, and the
answer says on which.
"""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Container, Iterable, Sequence

import msgspec

from adk_probe.errors import EvidenceError, GateError, InputError
from adk_probe.evidence.freshness import days_since
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.reasons import Reason, merged
from adk_probe.model import Lane, Release, Target, Verdict, best, python_order, worst
from adk_probe.project.config import Config
from adk_probe.project.folder import Project
from adk_probe.project.python_ranges import specifier_of
from adk_probe.project.specifiers import NEWEST, bounded_below, specifier
from adk_probe.ranges import Scale

ALLOWED_SCHEMA = "adk-probe.allowed/2"


class Question(msgspec.Struct, frozen=True):
    """What is asked.

    Attributes:
        release: ``newest``, a version or a PEP 440 specifier.
        python: a Python like ``3.12``, or a PEP 440 specifier.
        engine: by default that of the mechanisms, else the default one of ``matrix.toml``.
        mechanisms: all of them must be allowed; with none, any mechanism of the engine will do.
        features: what the mechanism must be allowed for beside loops as such.
        accept_untested: whether what was tested may stand for what was not.
    """

    release: str
    python: str
    lane: Lane = Lane.TODAY
    engine: str | None = None
    mechanisms: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    accept_untested: bool = False


class FidelityElsewhere(msgspec.Struct, frozen=True):
    """Targets on which scenarios were not played, and the other Pythons on which they were."""

    targets: tuple[Target, ...]
    pythons: tuple[str, ...]


class MechanismVerdict(msgspec.Struct, frozen=True):
    """The verdict on one mechanism over the whole range, for all features that were asked for together."""

    mechanism: str
    sentence: str
    verdict: Verdict
    reasons: tuple[Reason, ...]


class Oldest(msgspec.Struct, frozen=True):
    """The oldest evidence behind an answer: the day (UTC, ISO 8601) of its pins, and for how many days it has stood."""

    target: Target
    day: str
    days: int


class Allowed(msgspec.Struct, frozen=True):
    """The answer for a range.

    Attributes:
        verdict: of the mechanisms that were named the worst; with none named, the best of the engine's.
        releases: the releases that the range means, oldest first.
        until: the newest release known to the index where the range is open for newer ones, else empty.
        asked: the day on which the index named the releases; empty where that is not known.
        tested: what was asked for and has evidence.
        untested: what was asked for and has none.
        ruled_out: which Python is required by releases of the range that admit none of those asked for, by version.
        command: what would test ``untested``; empty where there is nothing to test.
        oldest: None where nothing was tested, or its day is not known.
        fidelity_elsewhere: where scenarios count as they came out on other Pythons.
        mechanisms: in order of preference.
    """

    schema: str
    engine: str
    release: str
    python: str
    lane: Lane
    features: tuple[str, ...]
    allowed: bool
    verdict: Verdict
    releases: tuple[str, ...]
    until: str
    asked: str
    tested: tuple[Target, ...]
    untested: tuple[Target, ...]
    ruled_out: dict[str, str]
    accept_untested: bool
    command: str
    oldest: Oldest | None
    mechanisms: tuple[MechanismVerdict, ...]
    fidelity_elsewhere: tuple[FidelityElsewhere, ...] = ()


def ask(project: Project, judgement: Judgement, question: Question, today: datetime.date) -> Allowed:
    """Return the verdict on the mechanisms over a range.

    Args:
        judgement: of all evidence, its age looked at.
        today: the day (UTC) from which the age in the answer counts.

    Raises:
        InputError: the question names an engine, mechanism, release or Python that there is not.
    """
    question = _plain(question)
    engine = engine_of(project.config, question)
    _check_features(project.config, question)
    releases = project.releases.choose(engine, question.release)
    targets = _targets(project.config, releases, engine, question)
    tested = tuple(target for target in targets if target.key in judgement.resolved)
    untested = tuple(target for target in targets if target.key not in judgement.resolved)
    old_list = _old_list(project, engine, question, today)
    rows = _rows(project, judgement, engine, question, tested, untested, old_list)
    verdict = _verdict(rows, question)
    elsewhere = _elsewhere(judgement, {row.mechanism for row in rows}, tested)
    behind = {target for each in elsewhere for own in each.targets for target in _on(own, each.pythons)}
    return Allowed(
        schema=ALLOWED_SCHEMA,
        engine=engine,
        release=question.release,
        python=question.python,
        lane=question.lane,
        features=question.features,
        allowed=verdict is Verdict.ALLOWED,
        verdict=verdict,
        releases=tuple(release.version for release in releases),
        until=releases[-1].version if project.releases.open_above(engine, question.release) else "",
        asked=project.releases.asked,
        tested=tested,
        untested=untested,
        ruled_out=_ruled_out(releases, targets),
        accept_untested=question.accept_untested,
        command=_command(engine, question) if untested else "",
        oldest=_oldest(judgement, sorted({*tested, *behind}, key=lambda target: target.order), today),
        mechanisms=tuple(rows),
        fidelity_elsewhere=elsewhere,
    )


def _check_features(config: Config, question: Question) -> None:
    if unknown := sorted(set(question.features) - config.features.keys()):
        there = f"There are: {', '.join(config.features) or 'none'}."
        raise InputError(f"matrix.toml: no feature {', '.join(unknown)}", there)


def _targets(config: Config, releases: Iterable[Release], engine: str, question: Question) -> list[Target]:
    """Return all that is asked for: each release on each Python of the range that it admits."""
    pythons = config.pythons_in(question.python)
    return [
        Target(engine, release.version, python, question.lane)
        for release in releases
        for python in pythons
        if release.admits(python)
    ]


def _plain(question: Question) -> Question:
    """Return a question without the spaces around its texts, and with each name once; ``mechanism+feature`` is both."""
    split = [name.strip().partition("+") for name in question.mechanisms]
    features = [name.strip() for name in question.features]
    return msgspec.structs.replace(
        question,
        release=question.release.strip(),
        python=question.python.strip(),
        mechanisms=tuple(dict.fromkeys(name for name, _, _ in split)),
        features=tuple(dict.fromkeys([*features, *(feature for _, _, feature in split if feature)])),
    )


def _elsewhere(judgement: Judgement, names: Container[str], tested: Container[Target]) -> tuple[FidelityElsewhere, ...]:
    pythons: dict[Target, set[str]] = {}
    for row in judgement.mechanisms:
        if row.fidelity_on and row.mechanism in names and row.target in tested:
            pythons.setdefault(row.target, set()).update(row.fidelity_on)
    groups: dict[tuple[str, ...], list[Target]] = {}
    for target in sorted(pythons, key=lambda each: each.order):
        groups.setdefault(tuple(sorted(pythons[target], key=python_order)), []).append(target)
    return tuple(FidelityElsewhere(tuple(targets), found) for found, targets in groups.items())


def _on(target: Target, pythons: Iterable[str]) -> list[Target]:
    return [msgspec.structs.replace(target, python=python) for python in pythons]


def engine_of(config: Config, question: Question) -> str:
    """Return the engine that a question is about.

    Raises:
        InputError: there is no such engine or mechanism, or a mechanism is of another engine.
    """
    engine = question.engine if question.engine is None else config.engine(question.engine)
    for name in _plain(question).mechanisms:
        if name not in config.mechanisms:
            raise InputError(f"no mechanism {name!r}", f"There are: {', '.join(sorted(config.mechanisms))}.")
        own = config.mechanisms[name].engine
        if engine not in (None, own):
            raise InputError(f"{name} is a mechanism of {own}, not of {engine}", "Ask for one engine at a time.")
        engine = own
    return config.engine(engine)


def _verdict(rows: Sequence[MechanismVerdict], question: Question) -> Verdict:
    if question.mechanisms:
        return worst(row.verdict for row in rows)
    return best([Verdict.DENIED, *(row.verdict for row in rows)])


def _rows(
    project: Project,
    judgement: Judgement,
    engine: str,
    question: Question,
    tested: Sequence[Target],
    untested: Sequence[Target],
    old_list: Sequence[Reason],
) -> list[MechanismVerdict]:
    scale = project.scale(engine, judgement.targets)
    gaps = () if question.accept_untested else untested
    return [
        _answer(name, project.config, judgement, question.features, tested, gaps, scale, old_list)
        for name in project.config.preferred(engine)
        if name in (question.mechanisms or (name,))
    ]


def _answer(
    name: str,
    config: Config,
    judgement: Judgement,
    features: Sequence[str],
    tested: Sequence[Target],
    gaps: Sequence[Target],
    scale: Scale,
    old_list: Sequence[Reason],
) -> MechanismVerdict:
    wanted = set(tested)
    # a row with a feature asks all that the mechanism alone does, and more
    named = features or ("",)
    rows = [row for row in judgement.mechanisms if row.mechanism == name and row.target in wanted]
    rows = [row for row in rows if row.feature in named]
    lacking = [feature for feature in features if not any(row.feature == feature for row in rows)]
    doubts = [Verdict.UNPROVEN] if gaps or lacking or old_list or not rows else []
    verdict = worst([*(row.verdict for row in rows), *doubts])
    reasons = merged((row for row in rows if row.verdict is verdict), scale)
    if verdict is Verdict.UNPROVEN:
        reasons += [*_doubts(judgement, gaps, lacking if tested else (), scale), *old_list]
        reasons = reasons or [Reason((), "nothing that was asked for was tested", "", ())]
    return MechanismVerdict(name, config.mechanisms[name].sentence, verdict, tuple(reasons))


def _old_list(project: Project, engine: str, question: Question, today: datetime.date) -> tuple[Reason, ...]:
    """Return the doubt about a range that newer releases could belong to, if nobody asked the index for long."""
    if question.accept_untested or not project.releases.open_above(engine, question.release):
        return ()
    asked, most = project.releases.asked, project.config.settings.max_age
    days = days_since(asked, today)
    if days is not None and days <= most:
        return ()
    when = (
        f"was last asked for releases on {asked}, more than {most} days ago" if asked else "may never have been asked"
    )
    return (Reason((), f"the index {when}: `adk-probe releases --update` asks it", "", ()),)


def _doubts(judgement: Judgement, gaps: Iterable[Target], lacking: Iterable[str], scale: Scale) -> list[Reason]:
    by_words: dict[str, list[Target]] = {}
    for target in gaps:
        by_words.setdefault(_no_evidence(judgement, target), []).append(target)
    untested = [Reason((), words, scale.where(at), tuple(at)) for words, at in by_words.items()]
    return [*untested, *(Reason((), f"no claim and no scenario is about {each}", "", ()) for each in lacking)]


def _no_evidence(judgement: Judgement, target: Target) -> str:
    words = judgement.unreadable.get(target.key)
    return f"its evidence {words}" if words else "not tested"


def _ruled_out(releases: Iterable[Release], targets: Iterable[Target]) -> dict[str, str]:
    admitted = {target.release for target in targets}
    return {release.version: release.requires_python for release in releases if release.version not in admitted}


def _command(engine: str, question: Question) -> str:
    options = ("--engine", engine, "--release", question.release, "--python", question.python, "--lane", question.lane)
    return shlex.join(["adk-probe", "run", *options])


def _oldest(judgement: Judgement, tested: Iterable[Target], today: datetime.date) -> Oldest | None:
    found = [
        Oldest(target, day, days)
        for target in tested
        if (day := judgement.resolved.get(target.key, "")) and (days := days_since(day, today)) is not None
    ]
    return max(found, key=lambda each: each.days, default=None)


def exit_code(answer: Allowed) -> int:
    """Return what a command ends with: 0 for a yes, 1 for a no that was seen, 3 for a doubt."""
    if answer.allowed:
        return 0
    return EvidenceError.exit_code if answer.verdict is Verdict.UNPROVEN else GateError.exit_code


def releases_specifier(answer: Allowed) -> str:
    """Return the range of an answer as a PEP 440 specifier, for what a generated project says it runs on.

    What is open below starts at the oldest release that was meant.
    """
    if answer.release.strip() == NEWEST:
        return f"=={answer.releases[-1]}"
    return str(bounded_below(specifier(answer.release), answer.releases[0]))


def python_specifier(answer: Allowed) -> str:
    """Return the Pythons of an answer as a PEP 440 specifier, as :func:`releases_specifier` does for releases."""
    return specifier_of(answer.python, {target.python for target in (*answer.tested, *answer.untested)})
