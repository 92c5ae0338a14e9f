"""``reports/matrix.html``: one page that needs nothing else, the evidence behind every cell included; pure."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import msgspec

from adk_probe.evidence.cells import Cell
from adk_probe.model import CapturedWarning, Lane, Target, TargetResult, Verdict
from adk_probe.report import commands
from adk_probe.report.columns import Column
from adk_probe.report.escape import placeless, visible
from adk_probe.report.findings import drift, findings, untried
from adk_probe.report.view import (
    MEANINGS,
    SIGNS,
    VERDICT_MEANINGS,
    VERDICT_SIGNS,
    Look,
    Mark,
    Row,
    Sheet,
    View,
)

TEMPLATES = Path(__file__).with_name("templates")


class CellGroup(msgspec.Struct, frozen=True):
    """Cells of one mark that say the same in the same words; the facts are those of the newest of them."""

    message: str
    facts: str
    of: Target
    warnings: tuple[CapturedWarning, ...]
    changed: tuple[str, ...]
    targets: tuple[Target, ...]
    where: str
    command: str


class Place(msgspec.Struct, frozen=True):
    """One cell of the matrix: its mark and column, its anchor, and what was seen there."""

    mark: Mark
    column: Column
    anchor: str
    seen: tuple[CellGroup, ...]


class Told(msgspec.Struct, frozen=True):
    """One row of the matrix with its anchor, and a place a column."""

    row: Row
    anchor: str
    places: tuple[Place, ...]


class Environ(msgspec.Struct, frozen=True):
    """What one target was made of, in words."""

    target: Target
    lines: tuple[tuple[str, str], ...]
    pins: tuple[str, ...]


def render(view: View, results: Mapping[str, TargetResult]) -> str:
    """Return the page.

    Args:
        results: all evidence, by target key, for pins and times.
    """
    style, script = (_read(name) for name in ("matrix.css", "matrix.js"))
    page = (
        environment()
        .get_template("matrix.html.j2")
        .render(
            view=view,
            sheets=[_sheet(view, sheet, results) for sheet in view.sheets],
            results=results,
            style=style,
            script=script,
            # nothing but these two files of ours is applied or run, whatever an engine's text holds
            policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'",
            looks=[(each, SIGNS[each], MEANINGS[each]) for each in Look],
            verdicts=[(each, VERDICT_SIGNS[each], VERDICT_MEANINGS[each]) for each in Verdict],
        )
    )
    return page.rstrip("\n") + "\n"


@functools.lru_cache(maxsize=1)
def environment() -> jinja2.Environment:
    """Return what the page is made by: all that it is given is escaped, and what it is not given is an error."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # every text of an engine passes here on its way out
    made.filters["clean"] = lambda text: visible(placeless(str(text)))
    made.filters["slug"] = slug
    return made


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def slug(text: str) -> str:
    """Return text as part of an anchor; two different names give two different slugs."""
    return re.sub(r"[^A-Za-z0-9.-]", lambda found: f"_{ord(found[0]):x}_", text)


def _sheet(view: View, sheet: Sheet, results: Mapping[str, TargetResult]) -> dict[str, Any]:
    return {
        "sheet": sheet,
        "shown": {mark.look for row in sheet.rows for mark in row.marks},
        "drift": drift(view, sheet),
        "untried": untried(view, sheet),
        "findings": findings(view, sheet),
        "rows": [_row(view, sheet, row) for row in sheet.telling],
        "environments": [each for target in sheet.targets if (each := _environ(view, target, results)) is not None],
    }


def _row(view: View, sheet: Sheet, row: Row) -> Told:
    """Return a row with all that a loop of the template needs, so that none has to count what another is at."""
    anchor = f"{slug(sheet.engine)}-{slug(row.probe)}"
    places = tuple(
        Place(mark, column, f"e-{anchor}-{number}", tuple(_seen(view, sheet, mark)))
        for number, (mark, column) in enumerate(zip(row.marks, sheet.columns, strict=True), 1)
    )
    return Told(row, f"p-{anchor}", places)


def _seen(view: View, sheet: Sheet, mark: Mark) -> list[CellGroup]:
    groups: dict[tuple[str, tuple[CapturedWarning, ...], tuple[str, ...]], list[Cell]] = {}
    for cell in mark.cells:
        groups.setdefault((cell.message, cell.warnings, cell.changed), []).append(cell)
    return [
        CellGroup(
            message=message,
            facts=_json(cells[-1].facts),
            of=cells[-1].target,
            warnings=warnings,
            changed=changed,
            targets=tuple(cell.target for cell in cells),
            where=sheet.scale.where(cell.target for cell in cells),
            command=view.command(cells[-1].target, cells[-1].probe),
        )
        for (message, warnings, changed), cells in groups.items()
    ]


def _json(facts: dict[str, Any]) -> str:
    if not facts:
        return ""
    return msgspec.json.format(msgspec.json.encode(facts, order="deterministic"), indent=2).decode()


def _environ(view: View, target: Target, results: Mapping[str, TargetResult]) -> Environ | None:
    result = results.get(target.key)
    if result is None:
        return None
    lines: list[tuple[str, str]] = []
    if (made := result.environment) is not None:
        lines += [("Python", f"{made.implementation} {made.python} ({made.build})"), ("platform", made.platform)]
    if result.fault is not None:
        lines.append((result.fault.outcome.value, result.fault.message))
    if target.lane is Lane.AS_RELEASED:
        lines.append(("nothing uploaded after", commands.newest_upload(view.releases, target)))
    run = result.run
    lines += [(f"seconds to {_doing(what)}", f"{took:.2f}") for what, took in sorted(run.seconds.items())]
    if run.size_bytes:
        lines.append(("size", f"{run.size_bytes / 1e6:.0f} MB"))
    lines += [("run", run.when)] if run.when else []
    return Environ(target, tuple(lines), made.pins if made else ())


def _doing(what: str) -> str:
    return "run the probes" if what == "probes" else f"{what} it"
