"""The console command ``adk-probe``: how it starts and how it ends."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import click

from adk_probe.cli import generator, new
from adk_probe.cli.shared import (
    GOOD,
    INCOMPLETE,
    INTERRUPTED,
    REFUSED,
    Context,
    choice_of,
    compared,
    complained,
    noted,
    options,
    put,
    say,
    shard_of,
)
from adk_probe.errors import InputError, ProbeError
from adk_probe.evidence.folder import MATRIX_FILE, RELEASES_FILE, today
from adk_probe.files import reason
from adk_probe.model import Lane, Outcome
from adk_probe.project.config import release_fault
from adk_probe.project.plan import Choice


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


@cli.command()
@options("suite", "engine", "release", "python", "lane")
@click.option("--probe", "probes", multiple=True, help="Only this probe, or those of a pattern; may be repeated.")
@click.option("--shard", help="Only part I of N of the targets, as I/N.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Targets side by side.")
@click.option("--refresh", is_flag=True, help="Resolve, install and run everything again.")
@click.option("--fetch/--no-fetch", default=True, help="Let uv fetch a Python that is missing.")
@click.option("--explain", is_flag=True, help="Say what would run and why; run nothing.")
@options("json")
@click.pass_obj
def run(context: Context, /, **options: Any) -> int:
    """Make the environments, run every probe in them and keep the evidence.

    Without --suite, --release looks at every release that reports/releases.json knows.
    """
    from rich.console import Console

    from adk_probe.cli import outputs
    from adk_probe.cli.progress import Shown
    from adk_probe.execution import schedule
    from adk_probe.generate import building
    from adk_probe.machine.state import Local
    from adk_probe.project.fidelity_cells import graphs_of

    jobs, refresh, fetch, explain, as_json = (
        options.pop(name) for name in ("jobs", "refresh", "fetch", "explain", "as_json")
    )
    choice = choice_of(**{**options, "shard": shard_of(options["shard"])})
    project = context.project()
    planned = project.plan(choice)
    local = Local(project.root)
    with local.lock():
        work = schedule.sort(project, planned, refresh, fetch and not explain)
        if explain:
            put(outputs.explained(work), as_json, lambda: outputs.explained_text(work))
            return GOOD
        schedule.refuse_impossible(work)
        building.ready(project.root, project.config, graphs_of(probe for todo in work.pending for probe in todo.why))
        with Shown(Console(stderr=True)) as shown:
            ended = schedule.execute(project, work, jobs, refresh, shown)
        faulty = GOOD
        if work.pending or local.are_reports_due() or not outputs.whole(project):
            judgement, faults = outputs.write_reports(project, Choice())
            faulty = complained(faults)
            if not faults:
                local.reports_are_made()
        else:
            judgement = project.judge(Choice(), None)
    noted(judgement)
    # who narrows a run down wants to see what is known of that
    quiet = not (work.pending or as_json or any(options.values()))
    if not work.pending:
        say(outputs.unchanged_text(ended, shown=not quiet))
    targets = {item.target for item in planned}
    chosen = outputs.narrowed(judgement, targets)
    if choice.probes:
        project, chosen = outputs.of_probes(project, chosen, {probe.id for item in planned for probe in item.probes})
    if not quiet:
        document = outputs.run_document(project, chosen, ended) if as_json else None
        put(document, as_json, lambda: outputs.text(project, chosen))
    infrastructure_errors = any(each.state == "trouble" for each in ended)
    nothing = all(each.state in (Outcome.UNSUPPORTED, Outcome.UNAVAILABLE) for each in ended)
    return faulty or (INCOMPLETE if infrastructure_errors or nothing or judgement.notes else GOOD)


@cli.command()
@options("suite", "json")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if reports/matrix.* are out of date.")
@click.option("--readme", is_flag=True, help="Put the excerpt of the matrix into README.md too.")
@click.pass_obj
def report(context: Context, /, suite: str | None, as_json: bool, check: bool, readme: bool) -> int:
    """Judge the evidence there is and write reports/matrix.json, .md, .html and junit.xml."""
    from adk_probe.cli import outputs

    project = context.project()
    if check:
        judgement = compared(project.judge(Choice(suite=suite), None))
        drifted = outputs.drifted_reports(project, judgement, readme)
        for name in drifted:
            say(f"{name} is not what the evidence gives; `adk-probe report{' --readme' if readme else ''}` fixes it")
        return REFUSED if drifted else GOOD
    judgement, faults = outputs.write_reports(project, Choice(suite=suite), readme)
    faulty = complained(faults)
    put(outputs.document(project, judgement), as_json, lambda: outputs.text(project, judgement))
    compared(judgement)
    return faulty or (INCOMPLETE if judgement.notes else GOOD)


@cli.command()
@options("suite", "json", "max-age")
@click.option("--update", is_flag=True, help="Accept what the evidence shows.")
@click.option("--reason", default="", help="Why it is right to accept it.")
@click.pass_obj
def gate(context: Context, /, suite: str | None, as_json: bool, max_age: int | None, update: bool, reason: str) -> int:
    """Compare the evidence with the accepted verdicts in reports/gate.lock.json.

    Exit 1 when a verdict regressed, got fixed, is new, missing or stale; 3 when this machine could not ask.
    """
    from adk_probe.cli import outputs
    from adk_probe.evidence import gate as gates

    project = context.project()
    judgement = project.judge(Choice(suite=suite), project.max_age(max_age))
    path = project.root / gates.FILE
    lock = gates.load(path)
    if update:
        accepted = gates.accept(path, judgement, lock, reason)
        put(accepted, as_json, lambda: f"accepted: {accepted.reason}")
        return GOOD
    if reason:
        raise InputError("--reason goes with --update")
    changes = gates.compare(judgement, lock)
    put(outputs.gate_document(changes), as_json, lambda: outputs.gate_text(changes))
    compared(judgement)
    if any(change.what != "unknown" for change in changes):
        return REFUSED
    return INCOMPLETE if changes or judgement.notes else GOOD


@cli.command()
@options("engine", "json", "max-age")
@click.option("--release", required=True, help="A version, a PEP 440 specifier, or `newest`.")
@click.option("--python", default=">=3", show_default=True, help="A Python, like 3.12, or a PEP 440 specifier.")
@click.option("--lane", type=click.Choice([str(lane) for lane in Lane]), default=str(Lane.TODAY), show_default=True)
@click.option("--mechanism", "mechanisms", multiple=True, help="Ask for this one; repeated, for all named.")
@click.option("--feature", "features", multiple=True, help="Ask for this feature, too; may be repeated.")
@click.option("--accept-untested", is_flag=True, help="Let what was tested stand for what was not.")
@click.pass_obj
def allowed(context: Context, /, as_json: bool, max_age: int | None, lane: str, **options: Any) -> int:
    """Say which mechanisms may be used for a range of releases and Pythons.

    Exit 0 if a mechanism of the engine is allowed; with --mechanism, if each of those named is. Exit 1 if
    evidence speaks against it, 3 if something of the range was not tested.
    """
    from adk_probe.cli import answer_text
    from adk_probe.evidence import allowed as answers

    if fault := release_fault(options["release"]):
        raise InputError(f"--release {fault}")
    question = answers.Question(lane=Lane(lane), **options)
    project = context.project()
    judgement = noted(project.judge(Choice(), project.max_age(max_age)))
    answer = answers.ask(project, judgement, question, today())
    put(answer, as_json, lambda: answer_text.allowed_text(answer, project.scale(answer.engine, judgement)))
    return answers.exit_code(answer)


@cli.command()
@click.argument("name")
@options("engine", "release", "python", "lane", "json", "max-age")
@click.pass_obj
def explain(context: Context, /, name: str, as_json: bool, max_age: int | None, **options: Any) -> int:
    """Tell all that is known of a probe or a mechanism: claim, verdicts, facts, and what is stale and why."""
    from adk_probe.cli import answer_text, outputs

    project = context.project()
    choice = choice_of(**{**options, "engine": project.engine_of(name, options["engine"])})
    judgement = noted(project.judge(Choice(), project.max_age(max_age)))
    told = answer_text.explanation(project, outputs.filtered(project, judgement, choice), name, choice.engine)
    scale = project.scale(choice.engine or "", judgement)
    put(told, as_json, lambda: answer_text.explanation_text(told, scale, choice))
    return GOOD


@cli.command()
@click.argument("probe")
@options("engine", "python", "lane")
@click.option("--release", required=True, help="A version, or `newest`.")
@click.option("--against", help="Another version to compare with.")
@click.option("--format", "form", type=click.Choice(["issue", "adr"]), default="issue")
@options("json")
@click.pass_obj
def evidence(context: Context, /, probe: str, against: str | None, form: str, as_json: bool, **options: Any) -> int:
    """Print Markdown to paste: the claim, what was seen, versions, pins and a script that reproduces it."""
    from adk_probe.cli import outputs

    project = context.project()
    choice = choice_of(**{**options, "engine": project.engine_of(probe, options["engine"])})
    if against is not None and (fault := release_fault(against)):
        raise InputError(f"--against {fault}")
    text = outputs.evidence(project, noted(project.judge(Choice(), None)), probe, choice, against, form)
    put({"probe": probe, "format": form, "markdown": text}, as_json, lambda: text.rstrip("\n"))
    return GOOD


@cli.command()
@options("suite", "engine", "release", "python", "lane")
@click.option("--probe", "probes", multiple=True, help="Only this probe, or those of a pattern; may be repeated.")
@click.option("--sample", type=click.IntRange(1), help="How many cells to draw; default: all that were chosen, or 20.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed draws the same cells.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Targets side by side.")
@options("json")
@click.pass_obj
def verify(context: Context, /, sample: int | None, seed: int, jobs: int, as_json: bool, **options: Any) -> int:
    """Run cells of the evidence again in fresh environments, with the recorded pins, and compare.

    Changes nothing. Exit 1 names what differs, 3 what could not be run here.
    """
    from adk_probe.execution import verification
    from adk_probe.generate import building
    from adk_probe.project.fidelity_cells import graphs_of

    choice = choice_of(**options)
    project = context.project()
    planned = project.plan(choice) if any(options.values()) else None
    judgement = noted(project.judge(Choice(), None))
    probes = {probe.id for item in planned for probe in item.probes} if planned and choice.probes else None
    cells = verification.candidates(judgement, planned, probes)
    count = sample if sample is not None or planned else verification.SAMPLE
    chosen = verification.sample(cells, count, seed)
    building.ready(project.root, project.config, graphs_of(probe for names in chosen.values() for probe in names))
    made = verification.verify(
        project, chosen, jobs, lambda target, probe: say(f"{target.label}: {probe}") if not as_json else None
    )
    found = verification.checked(verification.Verification(verification.VERIFY_SCHEMA, seed, len(cells), tuple(made)))
    put(found, as_json, lambda: verification.text(found))
    if found.differing:
        return REFUSED
    return INCOMPLETE if found.unknown else GOOD


@cli.command()
@click.option("--update", is_flag=True, help="Ask the package index.")
@options("json")
@click.pass_obj
def releases(context: Context, /, update: bool, as_json: bool) -> int:
    """Show the releases that are known of each engine, or ask the index for them."""
    from adk_probe.cli import outputs
    from adk_probe.project import config, index
    from adk_probe.project import releases as known

    root = context.folder()
    path = root / RELEASES_FILE
    found = index.update(path, config.load(root / MATRIX_FILE).engines) if update else known.load(path)
    put(found, as_json, lambda: outputs.releases_text(found))
    return GOOD


for command in (*generator.COMMANDS, new.new):
    cli.add_command(command)
