"""Matrix × releases × catalog → targets and their cells; pure."""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from adk_probe.errors import InputError
from adk_probe.model import Fault, Lane, Outcome, Probe, Release, Target
from adk_probe.project.catalog import Catalog, suggestion
from adk_probe.project.config import DEFAULT_SUITE, Config, Group
from adk_probe.project.fidelity_cells import PREFIX, with_examples
from adk_probe.project.releases import Releases


class Choice(msgspec.Struct, frozen=True):
    """What a user asked for; None leaves a thing open.

    With a ``release`` and no ``suite``, every release of the index is looked at, on the Pythons of the
    default suite; else the suite is narrowed down.

    Attributes:
        python: one, like ``3.12``, or a PEP 440 specifier, which means the declared ones that fit.
        probes: ids or patterns; where all of them are of one engine, that engine is meant.
    """

    suite: str | None = None
    engine: str | None = None
    release: str | None = None
    python: str | None = None
    lane: Lane | None = None
    probes: tuple[str, ...] = ()


class Planned(msgspec.Struct, frozen=True):
    """A target to make and the probes to run in it; ``fault`` says why it will not be tried."""

    target: Target
    uploaded: str
    probes: tuple[Probe, ...]
    fault: Fault | None = None


def plan(config: Config, releases: Releases, catalog: Catalog, choice: Choice) -> list[Planned]:
    """Return the targets that a choice means, in order, each with its cells.

    Raises:
        InputError: the choice names something that is not there, or nothing at all is left of it.
    """
    choice = _with_engine(catalog, choice)
    found: dict[Target, Release] = {}
    plays: dict[Target, _Play] = {}
    for engine, release, python, lane, play in _targets(config, releases, choice):
        target = Target(engine, release.version, python, lane)
        found[target] = release
        plays[target] = plays[target].with_more(play) if target in plays else play
    if not found:
        raise InputError(
            f"no target fits {_words(choice)}", "See the suites in matrix.toml, or `adk-probe run --help`."
        )
    targets = sorted(found, key=lambda target: target.order)
    _check_probes(catalog, choice, {target.engine for target in targets})
    return [_planned(target, found[target], catalog, choice, plays[target]) for target in targets]


def _with_engine(catalog: Catalog, choice: Choice) -> Choice:
    """Return the choice with the engine that its probes imply: who names a probe need not name the engine too."""
    if choice.engine is not None or not choice.probes:
        return choice
    engines = [
        engine
        for engine, probes in sorted(catalog.probes.items())
        if any(fnmatch.filter(probes, wanted) for wanted in choice.probes)
    ]
    return msgspec.structs.replace(choice, engine=engines[0]) if len(engines) == 1 else choice


class _Play(NamedTuple):
    """Whether generated projects are run on a target, and by how many random models at most."""

    projects: bool = True
    examples: int | None = None

    def with_more(self, other: _Play) -> _Play:
        """Return what is played where two groups have the target."""
        limits = [each.examples for each in (self, other) if each.projects and each.examples is not None]
        whole = any(each.projects and each.examples is None for each in (self, other))
        return _Play(self.projects or other.projects, None if whole else max(limits, default=None))


Row = tuple[str, Release, str, Lane, _Play]


def _targets(config: Config, releases: Releases, choice: Choice) -> Iterable[Row]:
    if choice.engine is not None and choice.engine not in config.engines:
        raise InputError(f"no engine {choice.engine!r}", f"There are: {', '.join(sorted(config.engines))}.")
    if choice.release is not None and choice.suite is None:
        return _anywhere(config, releases, choice)
    return _narrowed(config, releases, choice)


def _groups(config: Config, choice: Choice) -> list[Group]:
    """Return the groups of the chosen suite; those of any suite where it has none of the chosen engine."""
    suites = [config.suite(DEFAULT_SUITE if choice.suite is None else choice.suite)]
    for groups in ([group for suite in each for group in suite.targets] for each in (suites, config.suites.values())):
        if fitting := [group for group in groups if choice.engine in (None, group.engine)]:
            return fitting
    return []


def _anywhere(config: Config, releases: Releases, choice: Choice) -> Iterable[Row]:
    groups = _groups(config, choice)
    chosen = _chosen(releases, dict.fromkeys(group.engine for group in groups), choice)
    pythons = config.pythons_in(choice.python) if choice.python else None
    for group in groups:
        for release in chosen.get(group.engine, ()):
            for python in pythons or group.pythons:
                # who names a Python wants to know everything about it
                play = _Play(pythons is not None or group.plays(python))
                yield group.engine, release, python, choice.lane or Lane.TODAY, play


def _narrowed(config: Config, releases: Releases, choice: Choice) -> Iterable[Row]:
    groups = _groups(config, choice)
    engines = dict.fromkeys(group.engine for group in groups)
    wanted = _chosen(releases, engines, choice) if choice.release is not None else None
    pythons = config.pythons_in(choice.python) if choice.python else None
    for group in groups:
        listed = {release.version: release for release in releases_of(group, releases)}
        for release, python, lane in itertools.product(listed.values(), group.pythons, group.lanes):
            kept = wanted is None or release in wanted.get(group.engine, ())
            if kept and (pythons is None or python in pythons) and choice.lane in (None, lane):
                yield group.engine, release, python, lane, _Play(group.plays(python), group.random_models)


def releases_of(group: Group, releases: Releases) -> Iterable[Release]:
    """Yield the releases that a group of a suite names; raises as ``Releases.choose`` does."""
    for text in group.releases:
        yield from releases.choose(group.engine, text)
    if group.pre_releases:
        yield from releases.newest_line(group.engine)


def _chosen(releases: Releases, engines: Iterable[str], choice: Choice) -> dict[str, tuple[Release, ...]]:
    """Return what ``choice.release`` means for each engine; it is wrong only where no engine has such a release."""
    found, errors = {}, []
    for engine in engines:
        try:
            found[engine] = releases.choose(engine, choice.release or "")
        except InputError as error:
            errors.append(error)
    if errors and not found:
        raise errors[0]
    return found


def _words(choice: Choice) -> str:
    parts = {
        "suite": choice.suite,
        "engine": choice.engine,
        "release": choice.release,
        "python": choice.python,
    }
    parts["lane"] = choice.lane
    return " ".join(f"--{key} {value}" for key, value in parts.items() if value) or "the choice"


def _check_probes(catalog: Catalog, choice: Choice, engines: set[str]) -> None:
    known = {probe for engine in engines for probe in catalog.probes[engine]}
    if unknown := sorted(wanted for wanted in choice.probes if not fnmatch.filter(known, wanted)):
        raise InputError(f"no probe {', '.join(unknown)}", suggestion(unknown[0], known))


def _planned(target: Target, release: Release, catalog: Catalog, choice: Choice, play: _Play) -> Planned:
    probes = catalog.probes[target.engine]
    chosen = (probes[name] for name in sorted(probes) if _wanted(probes[name], choice.probes, play.projects))
    limited = tuple(with_examples(probe, play.examples) for probe in chosen)
    return Planned(target, release.uploaded, limited, _fault(target, release))


def _wanted(probe: Probe, patterns: tuple[str, ...], plays: bool) -> bool:
    if not patterns:
        return plays or not probe.mechanism
    # who names scenarios wants them everywhere
    return any(
        fnmatch.fnmatchcase(probe.id, pattern)
        for pattern in patterns
        if plays or not probe.mechanism or pattern.startswith(PREFIX)
    )


def _fault(target: Target, release: Release) -> Fault | None:
    """Say why a target can never be made, from the release's own metadata."""
    if not release.admits(target.python):
        message = f"{target.engine} {target.release} requires Python {release.requires_python}"
        return Fault(Outcome.UNSUPPORTED, message)
    if target.lane is Lane.AS_RELEASED and not release.uploaded:
        return Fault(Outcome.UNSUPPORTED, "the index gives no upload time, so it cannot be resolved as released")
    return None
