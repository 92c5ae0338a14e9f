"""What the commands share: the project they are run in, their options, and how they speak."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from adk_probe.errors import InfrastructureError, InputError, ProbeError, own_fault
from adk_probe.evidence.judge import Judgement
from adk_probe.files import reason, to_json
from adk_probe.model import Lane
from adk_probe.project.folder import Project, find_root, open_project
from adk_probe.project.plan import Choice
from adk_probe.project.specifiers import release_fault

GOOD, REFUSED, INCOMPLETE, INTERRUPTED = 0, 1, 3, 130
Function = TypeVar("Function", bound=Callable[..., Any])


class Context(msgspec.Struct):
    """What every command is given: the project's folder, if one was named."""

    root: Path | None = None

    def folder(self) -> Path:
        """Return the project's folder; raises InputError where there is none."""
        try:
            # not Path.resolve(), which makes much of a link that leads to itself
            return Path(os.path.realpath(self.root)) if self.root else find_root(Path.cwd())
        except FileNotFoundError:
            raise InputError("the folder that this was started in is gone", "Go to another one.") from None

    def project(self) -> Project:
        """Open the project; raises InputError or EvidenceError with all that is wrong with it."""
        return open_project(self.folder())


def say(text: str) -> None:
    # nothing can be reported where standard error cannot be written
    with contextlib.suppress(OSError):
        click.echo(text, err=True)


def put(value: Any, as_json: bool, text: Callable[[], str]) -> None:
    """Print a value as only JSON, or as text.

    Raises:
        InfrastructureError: it cannot be shown or written.
    """
    try:
        shown = to_json(value).decode() if as_json else f"{text()}\n"
    except ProbeError:
        raise
    except Exception as error:
        raise own_fault("the answer", error) from None
    try:
        _write(shown)
    except BrokenPipeError:
        # the reader has closed the pipe, and the exit code is still the answer
        silence()
    except OSError as error:
        silence()
        raise InfrastructureError(
            f"standard output: cannot be written: {reason(error)}", "Make room, or write elsewhere."
        ) from None


def _write(text: str) -> None:
    if sys.stdout is None:
        return
    sys.stdout.flush()
    stream = sys.stdout.buffer
    left = memoryview(text.encode(sys.stdout.encoding, sys.stdout.errors or "strict"))
    while left:
        # where it has no buffer, as PYTHONUNBUFFERED makes it, one call may write a part and say nothing of the rest
        left = left[stream.write(left) or 0 :]
    stream.flush()


def silence() -> None:
    """Let what standard output still holds go nowhere, since Python would try to write it once more."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complained(faults: Iterable[ProbeError]) -> int:
    """Say what went wrong beside all that went well; return the exit code that it calls for."""
    code = GOOD
    for fault in faults:
        say(f"adk-probe: {fault}")
        code = max(code, fault.exit_code)
    return code


def noted(judgement: Judgement) -> Judgement:
    """Name the files that are no evidence, and hand the judgement on."""
    for fault in judgement.notes:
        say(f"adk-probe: {fault}; `adk-probe run` makes it again")
    return judgement


def compared(judgement: Judgement) -> Judgement:
    """Note the judgement, name what a comparison leaves out since it was never run, and hand the judgement on."""
    if judgement.not_run:
        say(f"not run yet: {judgement.not_run}\n  `adk-probe run` runs it; name an engine that is new by --engine.")
    return noted(judgement)


def refuse_repeated(command: click.Command, context: click.Context, words: list[str]) -> None:
    """Raise InputError if an option of a command that takes one value is there twice; click would take the last one."""
    parser = command.make_parser(context)
    # the context is that of the group around it, which ends its own options at the first argument
    parser.allow_interspersed_args = command.allow_interspersed_args
    try:
        order = parser.parse_args(list(words))[2]
    except click.UsageError:
        # click reports this itself when it parses the arguments
        return
    for option in dict.fromkeys(order):
        if isinstance(option, click.Option) and not (option.multiple or option.is_flag) and order.count(option) > 1:
            raise InputError(f"{option.opts[0]}: is there more than once", "Name it once.")


def options(*names: str) -> Callable[[Function], Function]:
    known = {
        "suite": click.option("--suite", help="A suite of matrix.toml."),
        "engine": click.option("--engine", help="An engine of matrix.toml."),
        "release": click.option("--release", help="A version, a PEP 440 specifier, or `newest`."),
        "python": click.option("--python", help="A Python, like 3.12, or a PEP 440 specifier."),
        "lane": click.option("--lane", type=click.Choice([str(lane) for lane in Lane])),
        "max-age": click.option(
            "--max-age",
            type=click.IntRange(0),
            help="Days for which evidence of the lane today is fresh; default: max-age of matrix.toml.",
        ),
        "json": click.option("--json", "as_json", is_flag=True, help="Write only JSON to standard output."),
    }

    def add(function: Function) -> Function:
        for name in reversed(names):
            function = known[name](function)
        return function

    return add


def shard_of(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise InputError(
            f"--shard {text}: expected I/N", "For example, --shard 1/4 runs the first quarter of the targets."
        )
    return int(number), int(count)


def check_release(option: str, text: str) -> None:
    """Refuse a choice of releases that cannot be understood; raises InputError."""
    if fault := release_fault(text):
        raise InputError(f"{option} {fault}", "For example: 2.0.0, '>=2.0,<3' or newest.")


def choice_of(lane: str | None = None, **options: Any) -> Choice:
    """Return what the options of a command choose; raises InputError for those that make no sense."""
    if options.get("release") is not None:
        check_release("--release", options["release"])
    return Choice(**options, lane=Lane(lane) if lane else None)
