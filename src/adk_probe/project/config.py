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
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from adk_probe.errors import InputError
from adk_probe.files import read_text
from adk_probe.model import Lane, python_order
from adk_probe.project.tables import S, convert

NEWEST = "newest"
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


class Group(msgspec.Struct, frozen=True):
    """Targets of a suite: every release on every Python in every lane."""

    engine: Text
    releases: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    pythons: Annotated[tuple[Python, ...], msgspec.Meta(min_length=1)]
    lanes: Annotated[tuple[Lane, ...], msgspec.Meta(min_length=1)] = (Lane.TODAY,)


class Suite(msgspec.Struct, frozen=True):
    """A named choice of targets."""

    description: Text
    targets: tuple[Group, ...]


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
        default_engine: the engine that a question is about which names none.
        max_age: days for which evidence of the lane ``today`` counts as fresh.
        pythons: the Pythons (``3.12``) that a range of Pythons may mean, beside those that suites name.
    """

    fetch_pythons: bool = True
    fetch_seconds: Annotated[int, msgspec.Meta(ge=1)] = 120
    build_seconds: Annotated[int, msgspec.Meta(ge=1)] = 600
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
        """Return the Pythons that a text means: ``3.12`` that one, a PEP 440 specifier the declared ones that fit.

        Raises:
            InputError: it is neither, or means none.
        """
        declared = f"matrix.toml names {', '.join(self.pythons)}; a new one goes into [settings] pythons."
        if text in self.pythons:
            return (text,)
        try:
            chosen = SpecifierSet(text.strip())
        except InvalidSpecifier:
            chosen = SpecifierSet()
        if not list(chosen):
            raise InputError(f"--python {text}: neither a declared Python like 3.12 nor a PEP 440 specifier", declared)
        # 3.12 as a release of Python stands for all of its patch releases
        found = tuple(each for each in self.pythons if chosen.contains(each) or chosen.contains(f"{each}.99"))
        if not found:
            raise InputError(f"--python {text}: no declared Python fits", declared)
        return found

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
        raise InputError(f"{name}: not TOML: {error}") from None
    faults: list[str] = []
    config = _convert(document, faults)
    if faults or config is None:
        raise InputError(f"{name}: {len(faults)} fault(s)", "Fix each of them; nothing was run.", tuple(faults))
    return config


def _convert(document: dict[str, Any], faults: list[str]) -> Config | None:
    known = sorted(Config.__struct_fields__)
    unknown = sorted(document.keys() - set(known))
    faults.extend(f"[{key}]: unknown table; known are {', '.join(known)}" for key in unknown)
    engines = _tables(document, "engines", Engine, faults)
    suites, groups = _suites(document, faults)
    mechanisms = _tables(document, "mechanisms", Mechanism, faults)
    features = _tables(document, "features", Feature, faults) if "features" in document else {}
    waivers = [
        convert(table, Waiver, f"[[waivers]] #{number}", faults)
        for number, table in enumerate(_array(document, "waivers", faults), 1)
    ]
    settings = convert(document.get("settings", {}), Settings, "[settings]", faults)
    comparison = [
        convert(table, Compared, f"[[comparison]] #{number}", faults)
        for number, table in enumerate(_array(document, "comparison", faults), 1)
    ]
    # checked even where single tables are faulty, so that one look shows all there is to fix
    faults.extend(_cross_settings(_names(document, "engines"), settings))
    faults.extend(_cross_groups(_names(document, "engines"), groups))
    faults.extend(_cross_mechanisms(_names(document, "engines"), _names(document, "features"), mechanisms))
    faults.extend(_cross_features(_names(document, "engines"), features))
    faults.extend(_cross_waivers(_names(document, "mechanisms"), mechanisms, waivers))
    faults.extend(_cross_comparison({*_names(document, "engines"), *_names(document, "mechanisms")}, comparison))
    if faults or settings is None:
        return None
    compared = tuple(each for each in comparison if each)
    excused = tuple(waiver for waiver in waivers if waiver)
    return Config(engines, suites, mechanisms, features, excused, settings, compared)


def _tables(document: dict[str, Any], key: str, kind: type[S], faults: list[str]) -> dict[str, S]:
    tables = document.get(key)
    if not isinstance(tables, dict) or not tables:
        faults.append(f"[{key}]: expected at least one table [{key}.NAME]")
        return {}
    found = {}
    for name, table in tables.items():
        try:
            msgspec.convert(name, Name)
        except msgspec.ValidationError:
            faults.append(f"[{key}.{name}]: the name must be lower-case letters, digits and hyphens")
        if (value := convert(table, kind, f"[{key}.{name}]", faults)) is not None:
            found[name] = value
    return found


def _array(document: dict[str, Any], key: str, faults: list[str]) -> list[Any]:
    value = document.get(key, [])
    if isinstance(value, list):
        return value
    faults.append(f"[[{key}]]: expected an array of tables")
    return []


def _names(document: dict[str, Any], key: str) -> list[str]:
    """Return the names that are declared, those of faulty tables too, so that no fault brings on another."""
    tables = document.get(key)
    return sorted(tables) if isinstance(tables, dict) else []


Groups = list[tuple[str, Group]]


def _suites(document: dict[str, Any], faults: list[str]) -> tuple[dict[str, Suite], Groups]:
    """Return the suites, and every group that is whole with the place it has in the file."""
    tables = document.get("suites")
    if not isinstance(tables, dict) or not tables:
        faults.append("[suites]: expected at least one table [suites.NAME]")
        return {}, []
    suites: dict[str, Suite] = {}
    placed: Groups = []
    for name, table in tables.items():
        where = f"[suites.{name}]"
        groups = table.get("targets", []) if isinstance(table, dict) else []
        groups = groups if isinstance(groups, list) else []
        places = [f"[[suites.{name}.targets]] #{number}" for number in range(1, len(groups) + 1)]
        found = [convert(group, Group, place, faults) for place, group in zip(places, groups, strict=True)]
        placed.extend((place, group) for place, group in zip(places, found, strict=True) if group)
        if not groups:
            faults.append(f"{where} targets: expected at least one [[suites.{name}.targets]]")
        rest = {**table, "targets": []} if isinstance(table, dict) else table
        suite = convert(rest, Suite, where, faults)
        if suite is not None:
            suites[name] = Suite(suite.description, tuple(group for group in found if group))
    return suites, placed


def _cross_settings(engines: list[str], settings: Settings | None) -> Iterable[str]:
    default = settings.default_engine if settings else ""
    if default and engines and default not in engines:
        yield f"[settings] default-engine: no engine {default!r}; there are {', '.join(engines)}"


def _cross_groups(engines: list[str], groups: Groups) -> Iterable[str]:
    for where, group in groups:
        if engines and group.engine not in engines:
            yield f"{where} engine: no engine {group.engine!r}; there are {', '.join(engines)}"
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


def release_fault(text: str) -> str | None:
    """Return what is wrong with a release choice (``newest`` or a PEP 440 version or specifier), if anything."""
    if text == NEWEST:
        return None
    try:
        specifier(text)
    except InvalidSpecifier:
        return f"{text!r} is neither {NEWEST!r} nor a PEP 440 version or specifier"
    return None


def specifier(text: str) -> SpecifierSet:
    """Return a PEP 440 specifier; a bare version means that version alone.

    Raises:
        InvalidSpecifier: it is neither.
    """
    text = text.strip()
    if text[:1].isdigit():
        text = f"=={text}"
    if not text:
        raise InvalidSpecifier("empty")
    return SpecifierSet(text)
