"""The console command ``adk-probe``; the only module that prints."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from adk_probe import harness, index
from adk_probe.errors import InputError, ProbeError
from adk_probe.files import to_json
from adk_probe.model import Lane
from adk_probe.plan import Choice
from adk_probe.progress import Shown
from adk_probe.project import MATRIX_FILE, RELEASES_FILE, Project, find_root, open_project

INCOMPLETE = 3
INTERRUPTED = 130


class Context(msgspec.Struct):
    """What every command is given: the project's folder, and whether standard output is for JSON alone."""

    root: Path | None = None

    def project(self) -> Project:
        """Open the project that the command is run in."""
        return open_project(self.root.resolve() if self.root else find_root(Path.cwd()))


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--root", type=click.Path(path_type=Path, file_okay=False), help="The project's folder.")
@click.version_option(package_name="adk-probe")
@click.pass_context
def cli(context: click.Context, root: Path | None) -> None:
    """Show with evidence which ways of building an agent loop work on which release of an engine."""
    context.obj = Context(root)


def main() -> None:
    """Run the command; every failure ends in one clear message and the exit code of its class."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = cli(standalone_mode=False)
    except click.exceptions.Abort:
        code = INTERRUPTED
        _say("interrupted; what was finished is kept, and the next run goes on from there")
    except click.ClickException as error:
        error.show()
        code = 2
    except ProbeError as error:
        _say(str(error))
        code = error.exit_code
    except KeyboardInterrupt:
        code = INTERRUPTED
        _say("interrupted; what was finished is kept, and the next run goes on from there")
    except BrokenPipeError:
        # whoever read standard output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    click.echo(text, err=True)


def _put_json(value: Any) -> None:
    click.echo(to_json(value).decode(), nl=False)


def _options(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    known = {
        "suite": click.option("--suite", help="A suite of matrix.toml."),
        "engine": click.option("--engine", help="An engine of matrix.toml."),
        "release": click.option("--release", help="A PEP 440 version or specifier, or `newest`."),
        "python": click.option("--python", help="A Python, like 3.12."),
        "lane": click.option("--lane", type=click.Choice([str(lane) for lane in Lane])),
        "json": click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output."),
    }

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            function = known[name](function)
        return function

    return add


def _shard(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    number, _, count = text.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise InputError(f"--shard {text}: expected I/N, like 1/4")
    return int(number), int(count)


def _choice(**options: Any) -> Choice:
    python, release = options.get("python"), options.get("release")
    if python is not None and not (python.startswith("3.") and python[2:].isdigit()):
        raise InputError(f"--python {python}: expected a Python like 3.12")
    from adk_probe.matrix import release_fault

    if release is not None and (fault := release_fault(release)):
        raise InputError(f"--release {fault}")
    lane = options.pop("lane", None)
    return Choice(**options, lane=Lane(lane) if lane else None)


@cli.command()
@_options("suite", "engine", "release", "python", "lane")
@click.option("--probe", "probes", multiple=True, help="Only this probe; may be given again.")
@click.option("--shard", help="Only part I of N of the targets, as I/N.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Targets side by side.")
@click.option("--refresh", is_flag=True, help="Resolve, install and run all anew.")
@click.option("--fetch/--no-fetch", default=True, help="Let uv fetch a Python that is missing.")
@click.option("--explain", is_flag=True, help="Say what would run and why; run nothing.")
@click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
@click.pass_obj
def run(
    context: Context,
    probes: tuple[str, ...],
    shard: str | None,
    jobs: int,
    refresh: bool,
    fetch: bool,
    explain: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Make the environments, run every probe in them and keep the evidence."""
    project = context.project()
    choice = _choice(**options, probes=probes, shard=_shard(shard))
    planned = project.plan(choice)
    from adk_probe.local import Local

    with Local(project.root).lock():
        todo = harness.sort(project, planned, refresh, fetch)
        if explain:
            for each in todo.todo:
                _say(each.item.target.label)
                for probe, why in sorted(each.why.items()):
                    _say(f"  {probe}: {', '.join(why)}")
            return 0
        with Shown(Console(stderr=True)) as shown:
            ended = harness.execute(project, todo, jobs, refresh, shown)
    for each in ended:
        _say(f"{each.target.label} {each.state} {each.message}")
    return INCOMPLETE if any(each.state == "trouble" for each in ended) else 0


@cli.command()
@click.option("--update", is_flag=True, help="Ask the package index.")
@click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
@click.pass_obj
def releases(context: Context, update: bool, as_json: bool) -> int:
    """Show the releases that are known of each engine, or ask the index for them."""
    root = context.root.resolve() if context.root else find_root(Path.cwd())
    from adk_probe import matrix

    path = root / RELEASES_FILE
    known = index.update(path, matrix.load(root / MATRIX_FILE).engines) if update else index.load(path)
    if as_json:
        _put_json(known)
        return 0
    for engine, rows in sorted(known.engines.items()):
        final = [release for release in rows if release.final]
        click.echo(f"{engine}: {len(rows)} releases, {len(final)} of them final, the newest {final[-1].version}")
    return 0
