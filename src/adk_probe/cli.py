"""The console command ``adk-probe``; the only module that prints."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from adk_probe.errors import InputError, ProbeError
from adk_probe.files import to_json
from adk_probe.judge import Judgement
from adk_probe.matrix import release_fault
from adk_probe.model import Lane
from adk_probe.plan import Choice
from adk_probe.project import MATRIX_FILE, RELEASES_FILE, Project, find_root, open_project

GOOD, REFUSED, INCOMPLETE, INTERRUPTED = 0, 1, 3, 130
KEPT = "interrupted; what was finished is kept, and the next run goes on from there"
Function = TypeVar("Function", bound=Callable[..., Any])


class Context(msgspec.Struct):
    """What every command is given: the project's folder, if one was named."""

    root: Path | None = None

    def folder(self) -> Path:
        """Return the project's folder; raises InputError where there is none."""
        return self.root.resolve() if self.root else find_root(Path.cwd())

    def project(self) -> Project:
        """Open the project; raises InputError or EvidenceError with all that is wrong with it."""
        return open_project(self.folder())


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--root", type=click.Path(path_type=Path, file_okay=False), help="The project's folder.")
@click.version_option(package_name="adk-probe")
@click.pass_context
def cli(context: click.Context, root: Path | None) -> None:
    """Show with evidence which ways of building an agent loop work on which release of an engine.

    Exit codes: 0 good, 1 the gate says no, 2 the input is wrong, 3 the evidence is incomplete,
    130 interrupted.
    """
    context.obj = Context(root)


def main() -> None:
    """Run the command; every failure ends in one clear message and the exit code of its class."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = cli(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        code = INTERRUPTED
        _say(KEPT)
    except click.ClickException as error:
        error.show()
        code = InputError.exit_code
    except ProbeError as error:
        _say(f"adk-probe: {error}")
        code = error.exit_code
    except UnicodeEncodeError as error:
        code = INCOMPLETE
        _say(f"adk-probe: the terminal's encoding, {error.encoding}, cannot show {error.object[error.start]!a}")
    except BrokenPipeError:
        # whoever read standard output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = GOOD
    except OSError as error:
        code = INCOMPLETE
        _say(f"adk-probe: {Path(error.filename).name if error.filename else 'the output'}: {error.strerror or error}")
        # what standard output still holds cannot be written either, and Python would say so once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code if isinstance(code, int) else GOOD)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    click.echo(text, err=True)


def _put(value: Any, as_json: bool, text: Callable[[], str]) -> None:
    """Print a value as JSON alone, or as text."""
    click.echo(to_json(value).decode() if as_json else text(), nl=not as_json)


def _noted(judgement: Judgement) -> Judgement:
    """Name the files that are no evidence, and hand the judgement on."""
    for fault in judgement.notes:
        _say(f"adk-probe: {fault}; `adk-probe run` makes it anew")
    return judgement


def _options(*names: str) -> Callable[[Function], Function]:
    known = {
        "suite": click.option("--suite", help="A suite of matrix.toml."),
        "engine": click.option("--engine", help="An engine of matrix.toml."),
        "release": click.option("--release", help="A version, a PEP 440 specifier, or `newest`."),
        "python": click.option("--python", help="A Python, like 3.12."),
        "lane": click.option("--lane", type=click.Choice([str(lane) for lane in Lane])),
        "json": click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output."),
    }

    def add(function: Function) -> Function:
        for name in reversed(names):
            function = known[name](function)
        return function

    return add


def _shard(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise InputError(f"--shard {text}: expected I/N, like 1/4")
    return int(number), int(count)


def _choice(lane: str | None = None, **options: Any) -> Choice:
    """Return what the options of a command choose; raises InputError for those that make no sense."""
    python, release = options.get("python"), options.get("release")
    if python is not None and not (python.startswith("3.") and python[2:].isdecimal()):
        raise InputError(f"--python {python}: expected a Python like 3.12")
    if release is not None and (fault := release_fault(release)):
        raise InputError(f"--release {fault}")
    return Choice(**options, lane=Lane(lane) if lane else None)


@cli.command()
@_options("suite", "engine", "release", "python", "lane")
@click.option("--probe", "probes", multiple=True, help="Only this probe, or those of a pattern; may be repeated.")
@click.option("--shard", help="Only part I of N of the targets, as I/N.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Targets side by side.")
@click.option("--refresh", is_flag=True, help="Resolve, install and run all anew.")
@click.option("--fetch/--no-fetch", default=True, help="Let uv fetch a Python that is missing.")
@click.option("--explain", is_flag=True, help="Say what would run and why; run nothing.")
@_options("json")
@click.pass_obj
def run(context: Context, /, **options: Any) -> int:
    """Make the environments, run every probe in them and keep the evidence.

    Without --suite, --release looks at every release that reports/releases.json knows.
    """
    from rich.console import Console

    from adk_probe import harness, outputs
    from adk_probe.local import Local
    from adk_probe.progress import Shown

    jobs, refresh, fetch, explain, as_json = (
        options.pop(name) for name in ("jobs", "refresh", "fetch", "explain", "as_json")
    )
    choice = _choice(**{**options, "shard": _shard(options["shard"])})
    project = context.project()
    planned = project.plan(choice)
    with Local(project.root).lock():
        work = harness.sort(project, planned, refresh, fetch and not explain)
        if explain:
            _put(outputs.explained(work), as_json, lambda: outputs.explained_text(work))
            return GOOD
        with Shown(Console(stderr=True)) as shown:
            ended = harness.execute(project, work, jobs, refresh, shown)
        judgement = project.judge(Choice())
        if work.todo or not outputs.whole(project):
            outputs.write_reports(project, judgement)
    if all(each.state == "current" for each in ended):
        _say("nothing has changed: no target had to run again")
    _noted(judgement)
    targets = {item.target for item in planned}
    chosen = outputs.narrowed(judgement, targets)
    if choice.probes:
        project, chosen = outputs.of_probes(project, chosen, {probe.id for item in planned for probe in item.probes})
    _put(outputs.run_document(project, chosen, ended), as_json, lambda: outputs.text(project, chosen))
    trouble = any(each.state == "trouble" for each in ended)
    return INCOMPLETE if trouble or judgement.notes else GOOD


@cli.command()
@_options("suite", "json")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if reports/matrix.* are out of date.")
@click.option("--readme", is_flag=True, help="Put the excerpt of the matrix into README.md too.")
@click.pass_obj
def report(context: Context, /, suite: str | None, as_json: bool, check: bool, readme: bool) -> int:
    """Judge the evidence there is and write reports/matrix.json, .md, .html and junit.xml."""
    from adk_probe import outputs

    project = context.project()
    judgement = project.judge(Choice(suite=suite))
    if check:
        drifted = outputs.drifted_reports(project, judgement, readme)
        for name in drifted:
            _say(f"{name} is not what the evidence gives; `adk-probe report{' --readme' if readme else ''}` mends it")
        return REFUSED if drifted else GOOD
    outputs.write_reports(project, judgement, readme)
    _put(outputs.document(project, judgement), as_json, lambda: outputs.text(project, judgement))
    _noted(judgement)
    return INCOMPLETE if judgement.notes else GOOD


@cli.command()
@_options("suite", "json")
@click.option("--update", is_flag=True, help="Accept what the evidence shows.")
@click.option("--reason", default="", help="Why it is right to accept it.")
@click.pass_obj
def gate(context: Context, /, suite: str | None, as_json: bool, update: bool, reason: str) -> int:
    """Compare the evidence with the accepted verdicts in reports/gate.lock.json.

    Exit 1 when a verdict regressed, got fixed, is new, missing or stale; 3 when this machine could not ask.
    """
    from adk_probe import gate as gates
    from adk_probe import outputs

    project = context.project()
    judgement = project.judge(Choice(suite=suite))
    path = project.root / gates.FILE
    lock = gates.load(path)
    if update:
        accepted = gates.accept(path, judgement, lock, reason)
        _put(accepted, as_json, lambda: f"accepted: {accepted.reason}")
        return GOOD
    if reason:
        raise InputError("--reason goes with --update")
    changes = gates.compare(judgement, lock)
    _put(outputs.gate_document(changes), as_json, lambda: outputs.gate_text(changes))
    _noted(judgement)
    if any(change.what != "unknown" for change in changes):
        return REFUSED
    return INCOMPLETE if changes or judgement.notes else GOOD


@cli.command()
@_options("engine", "json")
@click.option("--release", required=True, help="A version, a PEP 440 specifier, or `newest`.")
@click.option("--python", default=">=3", help="A Python, like 3.12, or a PEP 440 specifier.")
@click.option("--lane", type=click.Choice([str(lane) for lane in Lane]), default=str(Lane.TODAY))
@click.pass_obj
def allowed(context: Context, /, engine: str | None, release: str, python: str, lane: str, as_json: bool) -> int:
    """Say which mechanisms may be used for a range of releases and Pythons; exit 0 if one may."""
    from adk_probe import answers, outputs

    if fault := release_fault(release):
        raise InputError(f"--release {fault}")
    project = context.project()
    judgement = _noted(project.judge(Choice()))
    answer = answers.ask(project, judgement, release=release, python=python, lane=lane, engine=engine)
    _put(answer, as_json, lambda: outputs.allowed_text(answer))
    return GOOD if answer.allowed else REFUSED


@cli.command()
@click.argument("name")
@_options("engine", "release", "python", "lane", "json")
@click.pass_obj
def explain(context: Context, /, name: str, as_json: bool, **options: Any) -> int:
    """Tell all that is known of a probe or a mechanism: claim, verdicts, facts, and what is stale and why."""
    from adk_probe import outputs

    choice = _choice(**options)
    project = context.project()
    if name not in project.matrix.mechanisms:
        project.catalog.probe(name, choice.engine)
    judgement = outputs.filtered(project, _noted(project.judge(Choice())), choice)
    told = outputs.explanation(project, judgement, name)
    _put(told, as_json, lambda: outputs.explanation_text(told))
    return GOOD


@cli.command()
@click.argument("probe")
@_options("engine", "python", "lane")
@click.option("--release", required=True, help="A version, or `newest`.")
@click.option("--against", help="Another version to compare with.")
@click.option("--format", "form", type=click.Choice(["issue", "adr"]), default="issue")
@_options("json")
@click.pass_obj
def evidence(context: Context, /, probe: str, against: str | None, form: str, as_json: bool, **options: Any) -> int:
    """Print Markdown to paste: the claim, what was seen, versions, pins and a script that reproduces it."""
    from adk_probe import outputs

    choice = _choice(**options)
    if against is not None and (fault := release_fault(against)):
        raise InputError(f"--against {fault}")
    project = context.project()
    text = outputs.evidence(project, _noted(project.judge(Choice())), probe, choice, against, form)
    _put({"probe": probe, "format": form, "markdown": text}, as_json, lambda: text.rstrip("\n"))
    return GOOD


@cli.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@_options("json")
def validate(file: Path, as_json: bool) -> int:
    """Check an IR file; every finding at once, each with a stable code and the path of its node."""
    from adk_probe import generating

    source, findings = generating.read_ir(file)
    document = {"schema": "adk-probe.findings/1", "file": file.name, "valid": source is not None, "findings": findings}
    _put(document, as_json, lambda: "\n".join(str(each) for each in findings) or f"{file.name}: valid")
    return GOOD if source is not None else InputError.exit_code


@cli.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@_options("engine", "json")
@click.option("--release", default="newest", help="The releases it must run on: PEP 440, or `newest`.")
@click.option("--python", default=">=3.11", help="The Pythons it must run on: one, or a PEP 440 specifier.")
@click.option("--mechanism", help="This one or none; refused unless it is allowed.")
@click.option("--out", type=click.Path(path_type=Path), help="The project's folder; default: the graph's name.")
@click.option("--check", is_flag=True, help="Write nothing; on drift exit 1, with the command that mends it.")
@click.option("--diff", "show", is_flag=True, help="Write nothing; show the drift as a unified diff.")
@click.pass_obj
def generate(context: Context, /, file: Path, as_json: bool, **options: Any) -> int:
    """Generate an agent project from an IR file, by the best mechanism that is proven for the range."""
    from adk_probe import answers, codegen, generating, outputs

    if fault := release_fault(options["release"]):
        raise InputError(f"--release {fault}")
    source = generating.valid_ir(file)
    project = context.project()
    judgement = _noted(project.judge(Choice()))
    wanted = {name: options[name] for name in ("release", "python", "engine")}
    answer = answers.ask(project, judgement, **wanted, lane=str(Lane.TODAY))
    chosen = generating.choose(source, answer, options["mechanism"])
    folder = options["out"] or Path(source.graph.name)
    files = generating.project_files(
        source,
        chosen.mechanism,
        answers.releases_specifier(answer, project.matrix.mechanisms[chosen.mechanism].engine),
        options["python"],
    )
    if options["check"] or options["show"]:
        drift = codegen.diff(folder, files)
        mend = outputs.generate_command(file, folder, options)
        told = {"schema": "adk-probe.drift/1", "drift": drift, "mend": mend if drift else ""}
        _put(told, as_json, lambda: f"{drift}\n{mend}" if drift else f"{folder}: as generated")
        return REFUSED if drift else GOOD
    drift_made = codegen.write(folder, files)
    made: dict[str, Any] = {"schema": "adk-probe.generated/1", "folder": str(folder), "mechanism": chosen.mechanism,
            "why": chosen.why, "changed": drift_made.paths}  # fmt: skip
    _put(made, as_json, lambda: outputs.generated_text(made))
    return GOOD


@cli.command()
@click.option("--graph", default="critic-loop", help="A graph of probes/graphs, by its file's name.")
@_options("json")
@click.pass_obj
def compare(context: Context, /, graph: str, as_json: bool) -> int:
    """Compare the engines by the semantics' properties, each cell with the evidence behind it."""
    from adk_probe import compare as comparing

    project = context.project()
    document = comparing.compare(project, _noted(project.judge(Choice())), graph)
    _put(document, as_json, lambda: comparing.render_text(document).rstrip("\n"))
    return GOOD


@cli.command()
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where generated/ is out of date.")
@_options("json")
@click.pass_obj
def codegen(context: Context, /, check: bool, as_json: bool) -> int:
    """Make generated/ anew: every graph of probes/graphs by every mechanism, and the jobs of its scenarios."""
    from adk_probe import matrix, outputs, regenerate

    root = context.folder()
    made = regenerate.make(root, matrix.load(root / MATRIX_FILE))
    changed = regenerate.drifted(root, made) if check else regenerate.write(root, made)
    told = {"schema": "adk-probe.codegen/1", "projects": len(made.projects), "changed": changed, "written": not check}
    _put(told, as_json, lambda: outputs.codegen_text(told))
    return REFUSED if check and changed else GOOD


@cli.command()
@click.option("--update", is_flag=True, help="Ask the package index.")
@_options("json")
@click.pass_obj
def releases(context: Context, /, update: bool, as_json: bool) -> int:
    """Show the releases that are known of each engine, or ask the index for them."""
    from adk_probe import index, matrix, outputs
    from adk_probe import releases as known

    root = context.folder()
    path = root / RELEASES_FILE
    found = index.update(path, matrix.load(root / MATRIX_FILE).engines) if update else known.load(path)
    _put(found, as_json, lambda: outputs.releases_text(found))
    return GOOD
