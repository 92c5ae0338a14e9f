"""A small judgement made by hand, with one of everything that a report must show."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

from adk_probe.evidence.cells import Cell
from adk_probe.evidence.judge import Judged, Judgement
from adk_probe.model import (
    RELEASES_SCHEMA,
    RESULT_SCHEMA,
    CapturedWarning,
    Environment,
    Kind,
    Lane,
    Outcome,
    Probe,
    Release,
    RunRecord,
    Target,
    TargetResult,
    Verdict,
)
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config, Engine, Mechanism, Waiver
from adk_probe.project.releases import Releases
from adk_probe.report.view import View, build

GOLDEN = Path(__file__).with_name("golden")
HOSTILE = "a|b <script>alert(1)</script> ``tick`` ``` \x1b[31mred\x1b[0m \u202etxt @someone [x](http://y) &amp; \x00"
PATHS = "File /home/ann/venv/lib/python3.12/site-packages/toy/loop.py, line 3; see /tmp/xyz/out.txt, C:\\Users\\ann\\a"
PROBES = {
    "import": "the engine imports",
    "loop": "a loop ends | after <3> passes",
    "old-way": "the old way works",
    "sub/Thing": "a *starred* claim of `code`",
}
MATRIX = Config(
    engines={"toy": Engine("toy-engine", "toy", "probes/toy", requires=("helper>=1,<2",))},
    suites={},
    mechanisms={
        "loops": Mechanism("toy", "a loop", ("import", "loop")),
        "old": Mechanism("toy", "the old | way", ("import", "old-way")),
    },
    waivers=(Waiver("loops", "loop", "known", "https://example.com/1", datetime.date(2030, 1, 1)),),
)
RELEASES = Releases(
    RELEASES_SCHEMA,
    {
        "toy": (
            Release("1.0", "2024-01-01T10:00:00Z"),
            Release("2.0", "2024-02-01T10:00:00Z"),
            Release("2.1", "2024-03-01T10:00:00Z"),
            Release("2.2", "2024-04-01T10:00:00Z"),
            Release("2.3", "2024-05-01T10:00:00Z"),
            Release("2.4", "2024-06-01T10:00:00Z"),
            Release("2.5", "2024-06-02T10:00:00Z", yanked=True),
            Release("3.0rc1", "2024-07-01T10:00:00Z"),
        )
    },
)
CATALOG = Catalog(
    probes={"toy": {name: Probe(name, claim, "toy", f"probes/toy/{name}.py") for name, claim in PROBES.items()}},
    controls=(Probe("control-pass", "", "any", ""), Probe("control-fail", "", "any", "")),
    kits={"toy": "0"},
    bytes={},
)
WARNING = CapturedWarning("DeprecationWarning", "use the new way", "probe")


def target(release: str, python: str = "3.12", lane: Lane = Lane.TODAY) -> Target:
    """Return a target of the toy engine."""
    return Target("toy", release, python, lane)


def _sound(where: Target) -> list[Cell]:
    return [
        Cell("import", where, Outcome.PASS, "imports", facts={"seconds": 0.1, "names": ["a", "b"]}),
        Cell("loop", where, Outcome.PASS, "3 passes"),
        Cell("old-way", where, Outcome.PASS, "works", warnings=(WARNING,), deprecations=(WARNING.message,)),
        Cell("sub/Thing", where, Outcome.FAIL, HOSTILE),
    ]


def _all(where: Target, outcome: Outcome, message: str, kind: Kind | None = None) -> list[Cell]:
    return [Cell(name, where, outcome, message, kind) for name in sorted(PROBES)]


def _swap(cells: list[Cell], *others: Cell) -> list[Cell]:
    new = {cell.probe: cell for cell in others}
    return [new.get(cell.probe, cell) for cell in cells]


OLD, DRIFTED = target("1.0", "3.11", Lane.AS_RELEASED), target("1.0", "3.11")
SPLIT, NEW = target("2.4", "3.12"), target("2.4", "3.13")
RULED_OUT, MISSING = target("2.3", "3.13"), target("3.0rc1")
CELLS: dict[Target, list[Cell]] = {
    OLD: _swap(
        _sound(OLD),
        Cell("loop", OLD, Outcome.ABSENT, "toy 1.0 has no toy.loop"),
        Cell("sub/Thing", OLD, Outcome.ERROR, PATHS, Kind.CRASH),
    ),
    DRIFTED: _all(DRIFTED, Outcome.ERROR, "import toy raised ImportError: gone", Kind.IMPORT),
    **{target(release, python): [] for release in ("2.0", "2.1", "2.3") for python in ("3.11", "3.12")},
    RULED_OUT: _all(RULED_OUT, Outcome.UNSUPPORTED, "toy 2.3 requires Python <3.13"),
    target("2.4", "3.11"): [],
    SPLIT: _swap(
        _sound(SPLIT),
        Cell("loop", SPLIT, Outcome.FAIL, "saw 4 passes, expected 3", facts={"passes": 4}),
        Cell("old-way", SPLIT, Outcome.PASS, "works", changed=("kit", "pins")),
    ),
    NEW: _all(NEW, Outcome.UNAVAILABLE, "no Python 3.13 is here"),
    MISSING: [],
}
for _target, _cells in CELLS.items():
    if not _cells and _target is not MISSING:
        _cells.extend(_sound(_target))


def _judged(where: Target) -> list[Judged]:
    if where in (DRIFTED, RULED_OUT, NEW, MISSING):
        why = ("import: nobody knows",)
        return [Judged(name, where, Verdict.UNPROVEN, ("import",), why) for name in MATRIX.mechanisms]
    loops = Judged("loops", where, Verdict.ALLOWED, ("import", "loop"))
    if where == OLD:
        loops = Judged("loops", where, Verdict.DENIED, ("loop",), ("loop: absent: toy 1.0 has no toy.loop",))
    elif where == SPLIT:
        loops = Judged("loops", where, Verdict.ALLOWED, ("import", "loop"), (), ("loop",))
    return [loops, Judged("old", where, Verdict.DEPRECATED, ("old-way",), ("old-way: use the new way",))]


def judgement() -> Judgement:
    """Return the judgement, ordered as the judge orders."""
    targets = sorted(CELLS, key=lambda each: each.order)
    return Judgement(
        targets=tuple(targets),
        cells=tuple(cell for each in targets for cell in CELLS[each]),
        mechanisms=tuple(
            row for name in MATRIX.mechanisms for each in targets for row in _judged(each) if row.mechanism == name
        ),
        drift=(DRIFTED,),
        missing=(MISSING,),
        notes=("reports/results/broken.json: is no evidence: truncated",),
    )


def view() -> View:
    """Return the view of the judgement."""
    return build(MATRIX, CATALOG, RELEASES, judgement())


def results() -> dict[str, TargetResult]:
    """Return evidence of two targets, with pins."""
    found = {}
    for release, pins in (("2.3", ("dep==1", "toy-engine==2.3")), ("2.4", ("dep==2", "toy-engine==2.4"))):
        where = target(release)
        environment = Environment("3.12.1", "CPython", "main, <now>, GCC", "linux-x86_64", pins)
        run = RunRecord(when="2030-01-01T00:00:00Z", seconds={"install": 0.5}, size_bytes=2_000_000)
        found[where.key] = TargetResult(RESULT_SCHEMA, where, environment, run=run)
    return found


def check_golden(name: str, text: str) -> None:
    """Compare a text with its golden file, byte by byte; ``REWRITE_GOLDEN=1`` writes the file instead."""
    path = GOLDEN / name
    if os.environ.get("REWRITE_GOLDEN"):
        path.write_bytes(text.encode())
    assert text.encode() == path.read_bytes(), f"{name} is not what the renderer gives; see REWRITE_GOLDEN"
