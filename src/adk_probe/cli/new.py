"""The command ``new``: a skeleton of a probe, a graph, a mechanism or an engine, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_probe.cli.shared import GOOD, Context, options, put, refuse_repeated

if TYPE_CHECKING:
    from adk_probe.scaffold.skeleton import Skeleton

SCHEMA = "adk-probe.skeleton/1"


class Kinds(click.Group):
    """What can be new: a command each."""

    def resolve_command(
        self, context: click.Context, words: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that words name, and the words that are left; raises as ``refuse_repeated`` does."""
        name, command, rest = super().resolve_command(context, words)
        if command is not None:
            refuse_repeated(command, context, rest)
        return name, command, rest


@click.group(cls=Kinds)
def new() -> None:
    """Write the skeleton of something new, and say what to do next. Writes over nothing."""


@new.command()
@click.argument("name")
@options("engine", "json")
@click.option("--claim", default="", help="The sentence that is true or false.")
@click.pass_obj
def probe(context: Context, /, name: str, engine: str | None, claim: str, as_json: bool) -> int:
    """Start a probe: one file in its engine's folder."""
    from adk_probe.scaffold import probe as probes

    project = context.project()
    return _written(
        project.root, probes.skeleton(project.root, project.config, project.catalog, name, engine, claim), as_json
    )


@new.command()
@click.argument("name")
@options("json")
@click.pass_obj
def graph(context: Context, /, name: str, as_json: bool) -> int:
    """Start a graph that fidelity plays: its IR and its scenarios in probes/graphs."""
    from adk_probe.scaffold import graph as graphs

    project = context.project()
    return _written(project.root, graphs.skeleton(project.root, name), as_json, generate=True)


@new.command()
@click.argument("name")
@options("engine", "json")
@click.option("--claim", "claims", multiple=True, help="A probe that it requires, or a pattern; may be repeated.")
@click.pass_obj
def mechanism(context: Context, /, name: str, engine: str | None, claims: tuple[str, ...], as_json: bool) -> int:
    """Start a mechanism: a module of its engine's package and a table of matrix.toml.

    Without --claim it requires what all mechanisms of its engine require.
    """
    from adk_probe.scaffold import mechanism as mechanisms

    project = context.project()
    made = mechanisms.skeleton(project.root, project.config, project.catalog, name, engine, claims)
    return _written(project.root, made, as_json, generate=True)


@new.command()
@click.argument("name")
@click.option("--distribution", default="", help="Its name on the package index; default: NAME.")
@click.option("--import", "module", default="", help="The package that is imported; default: NAME, as a module.")
@options("json")
@click.pass_obj
def engine(context: Context, /, name: str, distribution: str, module: str, as_json: bool) -> int:
    """Start an engine: tables of matrix.toml and a folder of probes with the first one."""
    from adk_probe.scaffold import engine as engines

    project = context.project()
    made = engines.skeleton(project.root, project.config, name, distribution, module)
    return _written(project.root, made, as_json)


def _written(root: Path, made: Skeleton, as_json: bool, generate: bool = False) -> int:
    """Write a skeleton and say so; with ``generate``, let generated/ know of it too."""
    from adk_probe.files import read_text
    from adk_probe.scaffold import matrix, skeleton

    text = matrix.added(read_text(root / matrix.FILE, matrix.FILE), made.tables) if made.tables else None
    written = skeleton.write(root, made, text)
    written += _generated(root) if generate else []
    told = {"schema": SCHEMA, "kind": made.kind, "name": made.name, "written": written, "next": made.next}
    put(told, as_json, lambda: _text(written, made.next))
    return GOOD


def _generated(root: Path) -> list[str]:
    """Generate again what is out of date because of what was written; return what changed."""
    from adk_probe.codegen.mechanism import mechanisms
    from adk_probe.generate import building, corpus
    from adk_probe.machine.state import Local
    from adk_probe.project import config, generated
    from adk_probe.scaffold import matrix

    # both were asked before the files were there
    mechanisms.cache_clear()
    generated.generator.cache_clear()
    declared = config.load(root / matrix.FILE)
    with Local(root).lock():
        return corpus.write(root, declared, building.make(root, declared, keep=True))


def _text(written: list[str], following: tuple[str, ...]) -> str:
    return "\n".join(
        [
            *(f"wrote {path}" for path in written),
            "next:",
            *(f"  {number}. {line}" for number, line in enumerate(following, 1)),
        ]
    )
