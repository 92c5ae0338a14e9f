"""Read ``matrix.toml``: what people declare. Every fault is reported at once, with its table and key."""

from __future__ import annotations

import datetime
import fnmatch
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from adk_probe.errors import Faults, InputError
from adk_probe.files import read_text
from adk_probe.model import Lane, python_order
from adk_probe.project.python_ranges import pythons_in
from adk_probe.project.specifiers import release_fault
from adk_probe.project.tables import S, convert

DEFAULT_SUITE = "quick"

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]*\Z")]
Python = Annotated[str, msgspec.Meta(pattern=r"^3\.[0-9]{1,3}\Z")]
Folder = Annotated[str, msgspec.Meta(pattern=r"^[\w-]+(/[\w-]+)*\Z")]
Text = Annotated[str, msgspec.Meta(min_length=1)]


class Engine(msgspec.Struct, frozen=True, rename="kebab"):
    """A distribution under test.

    Attributes:
        import_: the package whose import proves that the engine is there.
        probes: folder of its probes, relative to the project's folder.
        warm: modules imported once a target, so that each forked probe finds them; a release may lack some.
        requires: further requirements that every environment of the engine gets.
        fidelity: the script that runs a generated project through a scenario; without one there are no such cells.
    """

    distribution: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\Z")]
    import_: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z")] = msgspec.field(name="import")
    probes: Folder
    warm: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    fidelity: str = ""


class Group(msgspec.Struct, frozen=True, rename="kebab"):
    """Targets of a suite: every release on every Python in every lane.

    Attributes:
        pre_releases: ``newest-line`` adds the pre-releases that lead to the newest major version, or go beyond it.
        fidelity_pythons: the only ones of ``pythons`` on which generated projects are run; by default all of them. A
            verdict for another Python takes what was seen on these, and says so.
        random_models: how many random models play, at most; by default as many as the scenarios ask for.
    """

    engine: Text
    releases: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    pythons: Annotated[tuple[Python, ...], msgspec.Meta(min_length=1)]
    lanes: Annotated[tuple[Lane, ...], msgspec.Meta(min_length=1)] = (Lane.TODAY,)
    pre_releases: Literal["", "newest-line"] = ""
    fidelity_pythons: Annotated[tuple[Python, ...], msgspec.Meta(min_length=1)] | None = None
    random_models: Annotated[int, msgspec.Meta(ge=1)] | None = None

    def plays(self, python: str) -> bool:
        """Whether generated projects are run on a Python of the group."""
        return self.fidelity_pythons is None or python in self.fidelity_pythons


class Suite(msgspec.Struct, frozen=True, rename="kebab"):
    """A named choice of targets.

    Attributes:
        keep_envs: whether environments stay after use, so that the next run has them.
    """

    description: Text
    targets: tuple[Group, ...]
    keep_envs: bool = True


class Feature(msgspec.Struct, frozen=True):
    """A property of a graph, or of a host, that needs claims of its own beside a mechanism's.

    Attributes:
        of: ``graph`` where it is computed from a graph, so that scenarios of such graphs must pass too; ``host``
            where whoever runs the project asks for it.
        requires: by engine, ids or patterns of the probes that every mechanism of that engine needs for it.
    """

    sentence: Text
    of: Literal["graph", "host"]
    requires: dict[str, tuple[Text, ...]] = {}


class Mechanism(msgspec.Struct, frozen=True, rename="kebab"):
    """One way to generate a loop, and the claims that must hold before it may be used.

    Mechanisms are preferred in the order of their tables. The fidelity cells that must pass are not declared: they
    are those of its projects.

    Attributes:
        engine: the engine it generates for.
        requires: ids of probes, or patterns that stand for every id that fits; each must pass.
        requires_for: by feature, what must pass beside that where the feature is asked for.
        needs: symbols (``module:name``) without which the mechanism does not exist on a release.
        releases: what its projects of ``probes/graphs`` say they run on, a PEP 440 specifier.
        graphs: the graphs of ``probes/graphs`` that it is generated for; by default all that it can express.
        golden: that one of these graphs whose project is committed under ``generated/``, to be read.
    """

    engine: Text
    sentence: Text
    requires: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    requires_for: dict[str, tuple[Text, ...]] = {}
    needs: tuple[Text, ...] = ()
    releases: Text = ">=1.0"
    graphs: tuple[Text, ...] = ()
    golden: str = ""


class Waiver(msgspec.Struct, frozen=True):
    """Lets a mechanism pass in spite of a claim that fails, until ``expiry``."""

    mechanism: Text
    claim: Text
    reason: Text
    link: Annotated[str, msgspec.Meta(pattern=r"^https?://")]
    expiry: datetime.date


class Compared(msgspec.Struct, frozen=True):
    """A property by which engines are compared, and what backs it.

    Attributes:
        claims: by mechanism, or else by engine, the probes (or patterns) that back it there.
        every: patterns for all of them; ``{graph}`` and ``{mechanism}`` stand for what is compared.
        measure: by mechanism, or else by engine, ``probe:fact``: the property is that number, in ``unit``.
        record: the property is read off the record of the run: ``pins`` (how many packages) or ``size``.
    """

    property: Text
    claims: dict[str, tuple[Text, ...]] = {}
    every: tuple[Text, ...] = ()
    measure: dict[str, Annotated[str, msgspec.Meta(pattern=r"^[^:]+:[^:]+$")]] = {}
    unit: str = ""
    record: Literal["", "pins", "size"] = ""


class Settings(msgspec.Struct, frozen=True, rename="kebab"):
    """Choices for every run.

    Attributes:
        fetch_pythons: whether uv may fetch an interpreter that is missing.
        fetch_seconds: how long the one try may take.
        build_seconds: how long resolving or installing one environment may take.
        disk_floor: gigabytes (10⁹ bytes) of free disk below which a run begins no further target.
        default_engine: the engine that a question is about which names none.
        max_age: days for which evidence of the lane ``today`` counts as fresh.
        pythons: the Pythons (``3.12``) that a range of Pythons may mean, beside those that suites name.
    """

    fetch_pythons: bool = True
    fetch_seconds: Annotated[int, msgspec.Meta(ge=1)] = 120
    build_seconds: Annotated[int, msgspec.Meta(ge=1)] = 600
    disk_floor: Annotated[float, msgspec.Meta(ge=0)] = 2.0
    default_engine: str = ""
    max_age: Annotated[int, msgspec.Meta(ge=0)] = 90
    pythons: tuple[Python, ...] = ()


class Config(msgspec.Struct, frozen=True):
    """All of ``matrix.toml``."""

    engines: dict[str, Engine]
    suites: dict[str, Suite]
    mechanisms: dict[str, Mechanism]
    features: dict[str, Feature] = {}
    waivers: tuple[Waiver, ...] = ()
    settings: Settings = Settings()
    comparison: tuple[Compared, ...] = ()

    def suite(self, name: str) -> Suite:
        """Return a suite.

        Raises:
            InputError: there is none of that name.
        """
        if name not in self.suites:
            raise InputError(f"matrix.toml: no suite {name!r}", f"There are: {', '.join(sorted(self.suites))}.")
        return self.suites[name]

    def engine(self, name: str | None) -> str:
        """Return the engine of that name, or for None the one that is meant where none is named.

        Raises:
            InputError: there is no such engine, or several and no default.
        """
        known = f"There are: {', '.join(sorted(self.engines))}."
        if name is not None:
            if name not in self.engines:
                raise InputError(f"no engine {name!r}", known)
            return name
        if default := self.settings.default_engine:
            return default
        if len(self.engines) > 1:
            raise InputError(
                "which engine? matrix.toml has no [settings] default-engine", f"Name one by --engine. {known}"
            )
        return next(iter(self.engines))

    @property
    def pythons(self) -> tuple[str, ...]:
        """Every Python that is declared anywhere, oldest first."""
        groups = (group for suite in self.suites.values() for group in suite.targets)
        every = {*self.settings.pythons, *(python for group in groups for python in group.pythons)}
        return tuple(sorted(every, key=python_order))

    def pythons_in(self, text: str) -> tuple[str, ...]:
        """Return the declared Pythons that a text means; raises as ``python_ranges.pythons_in`` does."""
        return pythons_in(text, self.pythons)

    def preferred(self, engine: str) -> list[str]:
        """Return the mechanisms of an engine, the one to prefer first."""
        return [name for name, mechanism in self.mechanisms.items() if mechanism.engine == engine]


def load(path: Path) -> Config:
    """Read ``matrix.toml``.

    Raises:
        InputError: with every fault of the file, each naming its table and key.
    """
    if not os.path.lexists(path):
        raise InputError(f"{path.name}: there is no such file here", "Run in the project's folder, or give --root.")
    return parse(read_text(path, path.name), path.name)


def parse(text: str, name: str) -> Config:
    """Return what a text declares; raises as ``load`` does of a file of that name."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{name}: not TOML: {error}", "Correct the file there.") from None
    return _Declarations(document).config(name)


Groups = list[tuple[str, Group]]


class _Declarations:
    """The tables of ``matrix.toml``, and all that is wrong with them."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.faults = Faults()

    def config(self, file: str) -> Config:
        """Return what is declared.

        Raises:
            InputError: with every fault, each naming its table and key.
        """
        known = sorted(Config.__struct_fields__)
        unknown = sorted(self.document.keys() - set(known))
        self.faults.extend(f"[{key}]: unknown table; known are {', '.join(known)}" for key in unknown)
        engines = self._tables("engines", Engine)
        suites, groups = self._suites()
        mechanisms = self._tables("mechanisms", Mechanism)
        features = self._tables("features", Feature) if "features" in self.document else {}
        waivers = self._array("waivers", Waiver)
        settings = convert(self.document.get("settings", {}), Settings, "[settings]", self.faults)
        comparison = self._array("comparison", Compared)
        # checked even where single tables are faulty, so that one look shows all there is to fix
        self.faults.extend(_cross_settings(self._names("engines"), settings))
        self.faults.extend(_cross_groups(self._names("engines"), groups))
        self.faults.extend(_cross_mechanisms(self._names("engines"), self._names("features"), mechanisms))
        self.faults.extend(_cross_features(self._names("engines"), features))
        self.faults.extend(_cross_waivers(self._names("mechanisms"), mechanisms, waivers))
        self.faults.extend(_cross_comparison({*self._names("engines"), *self._names("mechanisms")}, comparison))
        self.faults.refuse(file, "Fix each of them; nothing was run.")
        assert settings is not None
        compared = tuple(each for each in comparison if each)
        excused = tuple(waiver for waiver in waivers if waiver)
        return Config(engines, suites, mechanisms, features, excused, settings, compared)

    def _tables(self, key: str, kind: type[S]) -> dict[str, S]:
        tables = self.document.get(key)
        if not isinstance(tables, dict) or not tables:
            self.faults.add(f"[{key}]: expected at least one table [{key}.NAME]")
            return {}
        found = {}
        for name, table in tables.items():
            try:
                msgspec.convert(name, Name)
            except msgspec.ValidationError:
                self.faults.add(f"[{key}.{name}]: the name must be lower-case letters, digits and hyphens")
            if (value := convert(table, kind, f"[{key}.{name}]", self.faults)) is not None:
                found[name] = value
        return found

    def _array(self, key: str, kind: type[S]) -> list[S | None]:
        """Return the tables of an array, None for each that is faulty."""
        tables = self.document.get(key, [])
        if not isinstance(tables, list):
            self.faults.add(f"[[{key}]]: expected an array of tables")
            return []
        return [convert(table, kind, f"[[{key}]] #{number}", self.faults) for number, table in enumerate(tables, 1)]

    def _names(self, key: str) -> list[str]:
        """Return the names that are declared, those of faulty tables too, so that no fault brings on another."""
        tables = self.document.get(key)
        return sorted(tables) if isinstance(tables, dict) else []

    def _suites(self) -> tuple[dict[str, Suite], Groups]:
        """Return the suites, and every group without a fault beside its place in the file."""
        tables = self.document.get("suites")
        if not isinstance(tables, dict) or not tables:
            self.faults.add("[suites]: expected at least one table [suites.NAME]")
            return {}, []
        suites: dict[str, Suite] = {}
        placed: Groups = []
        for name, table in tables.items():
            where = f"[suites.{name}]"
            groups = table.get("targets", []) if isinstance(table, dict) else []
            groups = groups if isinstance(groups, list) else []
            places = [f"[[suites.{name}.targets]] #{number}" for number in range(1, len(groups) + 1)]
            found = [convert(group, Group, place, self.faults) for place, group in zip(places, groups, strict=True)]
            placed.extend((place, group) for place, group in zip(places, found, strict=True) if group)
            if not groups:
                self.faults.add(f"{where} targets: expected at least one [[suites.{name}.targets]]")
            rest = {**table, "targets": []} if isinstance(table, dict) else table
            suite = convert(rest, Suite, where, self.faults)
            if suite is not None:
                suites[name] = msgspec.structs.replace(suite, targets=tuple(group for group in found if group))
        return suites, placed


def _cross_settings(engines: list[str], settings: Settings | None) -> Iterable[str]:
    default = settings.default_engine if settings else ""
    if default and engines and default not in engines:
        yield f"[settings] default-engine: no engine {default!r}; there are {', '.join(engines)}"


def _cross_groups(engines: list[str], groups: Groups) -> Iterable[str]:
    pythons: dict[str, set[str]] = {}
    for _, group in groups:
        pythons.setdefault(group.engine, set()).update(group.pythons)
    for where, group in groups:
        if engines and group.engine not in engines:
            yield f"{where} engine: no engine {group.engine!r}; there are {', '.join(engines)}"
        for python in group.fidelity_pythons or ():
            if python not in pythons[group.engine]:
                yield f"{where} fidelity-pythons: no suite runs {group.engine} on Python {python}"
        for release in group.releases:
            if (fault := release_fault(release)) is not None:
                yield f"{where} releases: {fault}"


def _cross_mechanisms(engines: list[str], features: list[str], mechanisms: dict[str, Mechanism]) -> Iterable[str]:
    for name, mechanism in mechanisms.items():
        if engines and mechanism.engine not in engines:
            yield f"[mechanisms.{name}] engine: no engine {mechanism.engine!r}; there are {', '.join(engines)}"
        if (fault := release_fault(mechanism.releases)) is not None:
            yield f"[mechanisms.{name}] releases: {fault}"
        for feature in sorted(mechanism.requires_for.keys() - set(features)):
            there = f"there are {', '.join(features)}" if features else "there is no table [features.NAME]"
            yield f"[mechanisms.{name}] requires-for: no feature {feature!r}; {there}"


def _cross_features(engines: list[str], features: dict[str, Feature]) -> Iterable[str]:
    for name, feature in features.items():
        for engine in sorted(feature.requires.keys() - set(engines)):
            yield f"[features.{name}] requires: no engine {engine!r}; there are {', '.join(engines)}"


def _cross_waivers(
    names: list[str], mechanisms: dict[str, Mechanism], waivers: Iterable[Waiver | None]
) -> Iterable[str]:
    for number, waiver in enumerate(waivers, 1):
        if waiver is None:
            continue
        mechanism = mechanisms.get(waiver.mechanism)
        if names and waiver.mechanism not in names:
            yield f"[[waivers]] #{number} mechanism: no mechanism {waiver.mechanism!r}"
        elif mechanism is not None and not _requires(mechanism, waiver.claim):
            yield f"[[waivers]] #{number} claim: {waiver.mechanism} does not require {waiver.claim!r}"


def _cross_comparison(names: set[str], comparison: Iterable[Compared | None]) -> Iterable[str]:
    for number, compared in enumerate(comparison, 1):
        if compared is None:
            continue
        where = f"[[comparison]] #{number}"
        for name in sorted({*compared.claims, *compared.measure} - names):
            yield f"{where}: {name!r} is neither an engine nor a mechanism"
        kinds = (bool(compared.claims or compared.every), bool(compared.measure), bool(compared.record))
        if sum(kinds) != 1:
            yield f"{where}: it needs one of claims (or every), measure and record"


def _requires(mechanism: Mechanism, claim: str) -> bool:
    patterns = (*mechanism.requires, *(each for needed in mechanism.requires_for.values() for each in needed))
    # which scenarios its projects play is known only where they are read
    return bool(fitting([claim], patterns)) or claim.startswith("fidelity/")


def fitting(names: Iterable[str], patterns: Iterable[str]) -> tuple[str, ...]:
    """Return the names that fit one of the patterns, in order of the patterns and each once."""
    ordered = list(names)
    return tuple(dict.fromkeys(name for pattern in patterns for name in fnmatch.filter(ordered, pattern)))
