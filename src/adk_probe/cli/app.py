"""The console command ``adk-probe``: how it starts and how it ends."""

from __future__ import annotations

import contextlib
import importlib
from pathlib import Path

import click

from adk_probe.cli.shared import GOOD, INCOMPLETE, INTERRUPTED, Context, refuse_repeated, say
from adk_probe.errors import InputError, ProbeError
from adk_probe.files import reason


class Commands(click.Group):
    """The commands: ``adk-probe NAME`` is the function ``NAME`` of ``adk_probe.cli.NAME``.

    A module is imported when its command is asked for, since some take a second.
    """

    names = (
        *("allowed", "api", "bisect", "changes", "codegen", "compare", "culprit", "differential", "evidence"),
        *("explain", "gate", "generate", "merge", "new", "plan", "releases", "report", "run", "upgrade"),
        *("validate", "verify"),
    )

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(self.names)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Return a command; None where there is none of that name."""
        if name not in self.names:
            return None
        found: click.Command = getattr(importlib.import_module(f"adk_probe.cli.{name}"), name)
        return found

    def resolve_command(
        self, context: click.Context, words: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that words name, and the words that are left for it.

        Raises:
            InputError: an option that takes one value is there twice; click would take the last one without a word.
        """
        name, command, rest = super().resolve_command(context, words)
        if command is not None:
            refuse_repeated(command, context, rest)
        return name, command, rest

    def parse_args(self, context: click.Context, words: list[str]) -> list[str]:
        """Read the options that stand before the command's name; raises as ``resolve_command`` does."""
        refuse_repeated(self, context, words)
        return super().parse_args(context, words)


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    import importlib.metadata

    try:
        version = importlib.metadata.version("adk-probe")
    except importlib.metadata.PackageNotFoundError:
        version = "unknown: it is run from its source and not installed"
    click.echo(f"adk-probe, version {version}")
    context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--root", type=click.Path(path_type=Path, file_okay=False), help="The project's folder.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.pass_context
def cli(context: click.Context, root: Path | None) -> None:
    """Show with evidence which ways of building an agent loop work on which release of an engine.

    Exit codes: 0 good, 1 the gate says no, 2 the input is wrong, 3 the evidence is incomplete,
    130 interrupted.
    """
    context.obj = Context(root)


def main() -> int:
    """Run the command and return its exit code; every failure ends in one clear message.

    Raises:
        KeyboardInterrupt: it was interrupted where no command could notice.
    """
    try:
        code = cli(standalone_mode=False)
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        with contextlib.suppress(OSError):
            error.show()
        return InputError.exit_code
    except ProbeError as error:
        say(f"adk-probe: {error}")
        return error.exit_code
    except UnicodeEncodeError as error:
        say(f"adk-probe: the terminal's encoding, {error.encoding}, cannot show {error.object[error.start]!a}")
        return INCOMPLETE
    except OSError as error:
        where = Path(error.filename).name if isinstance(error.filename, str) else "a file"
        say(f"adk-probe: {where}: {reason(error)}")
        return INCOMPLETE
    return code if isinstance(code, int) else GOOD
