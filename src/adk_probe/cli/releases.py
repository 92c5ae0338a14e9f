"""``adk-probe releases``: the releases that are known of each engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import msgspec

from adk_probe.cli.shared import GOOD, Context, options, put
from adk_probe.errors import EvidenceError, InputError
from adk_probe.project import config, index
from adk_probe.project import releases as known
from adk_probe.project.folder import MATRIX_FILE, RELEASES_FILE
from adk_probe.project.releases import News, Releases


@click.command()
@click.option("--update", is_flag=True, help="Ask the package index.")
@options("json")
@click.pass_obj
def releases(context: Context, /, update: bool, as_json: bool) -> int:
    """Show the releases that are known of each engine, or ask the index for them."""
    root = context.folder()
    path = root / RELEASES_FILE
    if not update:
        found = known.load(path)
        put(found, as_json, lambda: releases_text(found))
        return GOOD
    before = _before(path)
    found = index.update(path, config.load(root / MATRIX_FILE).engines)
    changed = known.news(before, found)
    told = {**msgspec.to_builtins(found), "news": changed}
    put(told, as_json, lambda: "\n".join([releases_text(found), *_news_lines(changed)]))
    return GOOD


def _before(path: Path) -> Releases | None:
    """Return what was known before; None where that is nothing, or cannot be read and is about to be replaced."""
    try:
        return known.load(path)
    except (InputError, EvidenceError):
        return None


def _news_lines(changed: Mapping[str, News]) -> Iterator[str]:
    words = {"new": "new", "yanked": "yanked since", "uploaded_again": "uploaded again", "gone": "gone from the index"}
    for engine, found in changed.items():
        for field, what in words.items():
            if versions := getattr(found, field):
                shown = ", ".join(versions) if len(versions) <= 10 else f"{len(versions)} releases"
                yield f"{engine}: {what}: {shown}"
    if any(found.new for found in changed.values()):
        yield "`adk-probe run --new` probes what is new"
    elif not changed:
        yield "nothing is new"


def releases_text(known: Releases) -> str:
    """Return which releases are known, a line an engine."""
    lines = []
    for engine, rows in sorted(known.engines.items()):
        final = [release.version for release in rows if release.final]
        newest = f"the newest {final[-1]}" if final else "none of them final"
        lines.append(f"{engine}: {len(rows)} releases, {len(final)} final, {newest}")
    return "\n".join(lines)
