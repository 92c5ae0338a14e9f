"""Engines side by side: for each property of a loop's semantics what the evidence shows, and in which file.

Which claims back which property is declared in ``matrix.toml`` (``[[comparison]]``), beside the mechanisms: what a
claim backs is for people to judge, and a new engine then needs no code here. A cell says ``yes``, ``no``, a number, or
that there is no evidence; whatever more there is to say is said by the claims.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from packaging.version import Version

from adk_probe.errors import EvidenceError, Faults, InputError
from adk_probe.evidence import store
from adk_probe.evidence.judge import Judgement
from adk_probe.model import VERDICT_RANK, Lane, Outcome, Target, TargetResult, Verdict, worst
from adk_probe.project.config import Compared
from adk_probe.project.fidelity_cells import PREFIX
from adk_probe.project.folder import Project

NONE = "no evidence"
STALE = "no fresh evidence"
_WANTED = {"{graph}", "{mechanism}"}


class Backing(msgspec.Struct, frozen=True, omit_defaults=True):
    """A claim that backs a cell.

    Attributes:
        outcomes: on how many targets it had which outcome.
        message: what the first target said on which it is not true.
    """

    probe: str
    claim: str
    outcomes: dict[str, int]
    message: str = ""
    stale: bool = False


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """An engine × a property.

    Attributes:
        value: what a table shows: ``yes``, ``no``, a number with its unit, or ``no evidence``.
        backs: the claims behind it; of a number the one that measured it.
        files: the evidence behind it, from the project's folder.
    """

    value: str
    backs: tuple[Backing, ...] = ()
    files: tuple[str, ...] = ()


class Side(msgspec.Struct, frozen=True):
    """An engine, by its newest tested release and the mechanism that is best there.

    Attributes:
        verdict: on that mechanism, the worst of the targets.
    """

    engine: str
    release: str
    pythons: tuple[str, ...]
    lane: Lane
    mechanism: str
    sentence: str
    verdict: Verdict

    @property
    def title(self) -> str:
        """What heads its column."""
        return f"{self.engine} {self.release}"


class Row(msgspec.Struct, frozen=True):
    """A property, with an entry for each engine."""

    property: str
    entries: tuple[Entry, ...]


class Comparison(msgspec.Struct, frozen=True):
    """All of a comparison, as ``adk-probe compare --json`` prints it."""

    schema: Literal["adk-probe.comparison/1"]
    graph: str
    sides: tuple[Side, ...]
    rows: tuple[Row, ...]


def compare(project: Project, judgement: Judgement, graph: str) -> Comparison:
    """Compare the engines by one graph.

    Args:
        graph: name of a graph of ``probes/graphs``, like ``critic-loop``.

    Raises:
        InputError: there is no such graph, or the comparison names a claim that nothing makes.
        EvidenceError: no engine has been tested.
    """
    _check(project, graph)
    results = store.load(project.root).results
    sides = [side for engine in project.config.engines if (side := _side(project, judgement, engine)) is not None]
    if not sides:
        raise EvidenceError("no engine has been tested", "`adk-probe run` makes evidence.")
    views = [_View(project, judgement, results, side, graph) for side in sides]
    rows = tuple(Row(each.property, tuple(view.entry(each) for view in views)) for each in project.config.comparison)
    return Comparison("adk-probe.comparison/1", graph, tuple(sides), rows)


def _check(project: Project, graph: str) -> None:
    known = {probe for probes in project.catalog.probes.values() for probe in probes}
    graphs = sorted({probe.split("/")[1] for probe in known if probe.startswith(PREFIX)})
    if graph not in graphs:
        raise InputError(f"no graph {graph!r} is run on any engine", f"There are: {', '.join(graphs) or 'none'}.")
    faults = Faults()
    for number, each in enumerate(project.config.comparison, 1):
        named = [probe for probes in each.claims.values() for probe in probes]
        named += [measure.partition(":")[0] for measure in each.measure.values()]
        lost = sorted(name for name in named if not _pattern(name) and name not in known)
        faults.extend(f"[[comparison]] #{number}: no probe makes the claim {name!r}" for name in lost)
    faults.refuse("matrix.toml", "Fix each of them.")


def _pattern(name: str) -> bool:
    return any(sign in name for sign in ("*", "?", "[", *_WANTED))


def _side(project: Project, judgement: Judgement, engine: str) -> Side | None:
    """Return what stands for an engine; None if it has not been tested or has no mechanism."""
    answered = (cell for cell in judgement.cells if cell.settled and cell.outcome is not Outcome.UNSUPPORTED)
    ran = {cell.target for cell in answered if cell.target.engine == engine}
    lane = next((lane for lane in (Lane.TODAY, Lane.AS_RELEASED) if any(t.lane is lane for t in ran)), None)
    releases = {target.release for target in ran if target.lane is lane}
    if lane is None or not releases:
        return None
    # an engine that was never run need not have releases that are known
    known = {each.version for each in project.releases.of(engine) if each.final}
    release = max(releases & known or releases, key=Version)
    targets = sorted((t for t in ran if t.release == release and t.lane is lane), key=lambda t: t.order)
    verdicts: dict[str, Verdict] = {}
    for name in project.config.preferred(engine):
        rows = [row for row in judgement.mechanisms if row.name == name and row.target in targets]
        if rows:
            verdicts[name] = worst(row.verdict for row in rows)
    if not verdicts:
        return None
    # of equal ones the preferred, which comes first
    name = min(verdicts, key=lambda each: VERDICT_RANK.index(verdicts[each]))
    sentence = project.config.mechanisms[name].sentence
    return Side(engine, release, tuple(t.python for t in targets), lane, name, sentence, verdicts[name])


class _View:
    """The evidence of one side."""

    def __init__(
        self, project: Project, judgement: Judgement, results: dict[str, TargetResult], side: Side, graph: str
    ) -> None:
        self.side = side
        self.graph = graph
        self.probes = project.catalog.probes[side.engine]
        self.targets = [Target(side.engine, side.release, python, side.lane) for python in side.pythons]
        self.cells = {target: judgement.of(target) for target in self.targets}
        self.results = [results[target.key] for target in self.targets if target.key in results]

    def entry(self, compared: Compared) -> Entry:
        """Return what the evidence says of a property."""
        if compared.record:
            return self._recorded(compared.record)
        names = (self.side.mechanism, self.side.engine)
        if compared.measure:
            found = next((compared.measure[name] for name in names if name in compared.measure), None)
            return self._measured(found, compared.unit)
        own = next((compared.claims[name] for name in names if name in compared.claims), ())
        return self._claimed((*own, *compared.every))

    def _claimed(self, patterns: Iterable[str]) -> Entry:
        backs = []
        for pattern in patterns:
            wanted = pattern.replace("{graph}", self.graph).replace("{mechanism}", self.side.mechanism)
            backs += [self._backing(name) for name in sorted(self.probes) if fnmatch.fnmatchcase(name, wanted)]
        backs = list({back.probe: back for back in backs}.values())
        return Entry(_answer(backs), tuple(backs), self._files() if backs else ())

    def _backing(self, probe: str) -> Backing:
        cells = [self.cells[target].get(probe) for target in self.targets]
        outcomes: dict[str, int] = {}
        for cell in cells:
            word = str(cell.outcome) if cell is not None else NONE
            outcomes[word] = outcomes.get(word, 0) + 1
        message = next((cell.message for cell in cells if cell is not None and cell.outcome is not Outcome.PASS), "")
        return Backing(
            probe=probe,
            claim=self.probes[probe].claim,
            outcomes=dict(sorted(outcomes.items())),
            message=" ".join(message.split()),
            stale=any(cell is not None and bool(cell.changed) for cell in cells),
        )

    def _measured(self, measure: str | None, unit: str) -> Entry:
        probe, _, fact = (measure or "").partition(":")
        if probe not in self.probes:
            return Entry(NONE)
        back = self._backing(probe)
        numbers = [cell.facts.get(fact) for target in self.targets if (cell := self.cells[target].get(probe))]
        found = [float(number) for number in numbers if isinstance(number, int | float)]
        value = (STALE if back.stale else _range(found, unit)) if found else NONE
        return Entry(value, (back,), self._files())

    def _recorded(self, record: str) -> Entry:
        made = [result for result in self.results if result.environment is not None]
        if not made:
            return Entry(NONE)
        if record == "pins":
            return Entry(_range([len(r.environment.pins) for r in made if r.environment], ""), (), self._files())
        return Entry(_range([result.run.size_bytes / 1e6 for result in made], "MB"), (), self._files())

    def _files(self) -> tuple[str, ...]:
        return tuple(f"{store.FOLDER}/{result.target.key}.json" for result in self.results)


def _answer(backs: list[Backing]) -> str:
    """Return what claims say together: yes if all are true on every target, no if one is false on any."""
    false = sum(bool({Outcome.FAIL, Outcome.ABSENT} & back.outcomes.keys()) for back in backs)
    true = sum(back.outcomes.keys() == {Outcome.PASS} for back in backs)
    if any(back.stale for back in backs):
        return STALE
    if false:
        return f"no ({false} of {len(backs)} false)"
    return f"yes ({true} of {true} true)" if backs and true == len(backs) else NONE


def _range(numbers: Sequence[float], unit: str) -> str:
    shown = list(dict.fromkeys(f"{number:.3g}" for number in (min(numbers), max(numbers))))
    return f"{' – '.join(shown)} {unit}".rstrip()
