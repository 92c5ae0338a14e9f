"""``adk-probe releases``: the releases that are known of each engine."""

from __future__ import annotations

import click

from adk_probe.cli.shared import GOOD, Context, options, put
from adk_probe.project import config, index
from adk_probe.project import releases as known
from adk_probe.project.folder import MATRIX_FILE, RELEASES_FILE
from adk_probe.project.releases import Releases


@click.command()
@click.option("--update", is_flag=True, help="Ask the package index.")
@options("json")
@click.pass_obj
def releases(context: Context, /, update: bool, as_json: bool) -> int:
    """Show the releases that are known of each engine, or ask the index for them."""
    root = context.folder()
    path = root / RELEASES_FILE
    found = index.update(path, config.load(root / MATRIX_FILE).engines) if update else known.load(path)
    put(found, as_json, lambda: releases_text(found))
    return GOOD


def releases_text(known: Releases) -> str:
    """Return which releases are known, a line an engine."""
    lines = []
    for engine, rows in sorted(known.engines.items()):
        final = [release.version for release in rows if release.final]
        newest = f"the newest {final[-1]}" if final else "none of them final"
        lines.append(f"{engine}: {len(rows)} releases, {len(final)} final, {newest}")
    return "\n".join(lines)
