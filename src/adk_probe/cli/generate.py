"""``adk-probe generate``: an agent project from an IR file, by a mechanism that is proven."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from adk_probe import codegen
from adk_probe.cli.shared import GOOD, REFUSED, Context, check_release, noted, options, put, say
from adk_probe.errors import InputError
from adk_probe.evidence import allowed
from adk_probe.evidence.allowed import Allowed, Question
from adk_probe.evidence.judging import judge_project, today
from adk_probe.generate import choose
from adk_probe.generate.choose import Chosen
from adk_probe.generate.source import Source, valid_ir
from adk_probe.graph.features import features_of
from adk_probe.project.folder import Project
from adk_probe.project.plan import Choice


@click.command()
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@options("engine", "json", "max-age")
@click.option("--release", default="newest", help="The releases it must run on: PEP 440, or `newest`.")
@click.option("--python", default=">=3.11", help="The Pythons it must run on: one, or a PEP 440 specifier.")
@click.option("--mechanism", help="This one or none; refused unless it is allowed.")
@click.option("--accept-untested", is_flag=True, help="Let what was tested stand for what was not.")
@click.option("--out", type=click.Path(path_type=Path), help="The project's folder; default: the graph's name.")
@click.option("--check", is_flag=True, help="Write nothing; on drift exit 1, with the command that fixes it.")
@click.option("--diff", "show", is_flag=True, help="Write nothing; show the drift as a unified diff.")
@click.pass_obj
def generate(context: Context, /, file: Path, as_json: bool, **options: Any) -> int:
    """Generate an agent project from an IR file, by the best mechanism that is proven for the range."""
    check_release("--release", options["release"])
    source = valid_ir(file)
    project = context.project()
    _refuse_taken(source, project)
    judgement = noted(judge_project(project, Choice(), project.max_age(options["max_age"])))
    answer = allowed.ask(project, judgement, _question(project, source, options), today())
    chosen = choose.choose(source, answer, options["mechanism"])
    folder = options["out"] or Path(source.graph.name)
    scale = project.scale(answer.engine, judgement.targets)
    files = choose.project_files(source, chosen.mechanism, answer, scale)
    if options["check"] or options["show"]:
        return _compared(folder, files, generate_command(file, folder, options), as_json)
    return _written(folder, files, chosen, answer, as_json)


def _refuse_taken(source: Source, project: Project) -> None:
    """Refuse a graph whose project would be imported in the place of an engine, or of nothing that can be imported.

    Raises:
        InputError: the graph must have another name.
    """
    name = source.graph.name
    taken = {engine.import_.partition(".")[0] for engine in project.config.engines.values()}
    if name in taken or (name.startswith("__") and name.endswith("__")):
        raise InputError(
            f"{source.name}: the graph's name {name!r} is that of a package which its project needs, or of none",
            "Give the graph another name.",
        )


def _question(project: Project, source: Source, options: Mapping[str, Any]) -> Question:
    """Return what is asked of the evidence: all mechanisms of the engine that is meant, for the graph's features."""
    named = (options["mechanism"],) if options["mechanism"] else ()
    question = Question(
        release=options["release"],
        python=options["python"],
        engine=options["engine"],
        features=features_of(source.graph),
        accept_untested=options["accept_untested"],
    )
    engine = allowed.engine_of(project.config, msgspec.structs.replace(question, mechanisms=named))
    return msgspec.structs.replace(question, engine=engine)


def _compared(folder: Path, files: Mapping[str, str], command: str, as_json: bool) -> int:
    """Show how a folder differs from what would be generated, and the command that generates it again."""
    drift = codegen.diff(folder, files)
    document = {"schema": "adk-probe.drift/1", "drift": drift, "mend": command if drift else ""}
    put(document, as_json, lambda: f"{drift}\n{command}" if drift else f"{folder}: as generated")
    return REFUSED if drift else GOOD


def _written(folder: Path, files: Mapping[str, str], chosen: Chosen, answer: Allowed, as_json: bool) -> int:
    """Write a project and say what it was made by."""
    drift = codegen.write(folder, files)
    if not folder.resolve().name.isidentifier():
        say(f"adk-probe: {folder.name} is no Python identifier; neither `adk run` nor the smoke test can import it so")
    document: dict[str, Any] = {
        "schema": "adk-probe.generated/1",
        "folder": str(folder),
        "mechanism": chosen.mechanism,
        "why": chosen.why,
        "tested": answer.tested,
        "untested": answer.untested,
        "changed": drift.paths,
    }
    put(document, as_json, lambda: generated_text(document))
    return GOOD


def generate_command(file: Path, folder: Path, options: Mapping[str, Any]) -> str:
    """Return the command that generates a project again, to be pasted."""
    words = ["adk-probe", "generate", str(file)]
    for name in ("engine", "release", "python", "mechanism"):
        words += [f"--{name}", str(options[name])] if options[name] else []
    words += ["--accept-untested"] if options["accept_untested"] else []
    words += ["--max-age", str(options["max_age"])] if options["max_age"] is not None else []
    return shlex.join([*words, "--out", str(folder)])


def generated_text(document: Mapping[str, Any]) -> str:
    """Return what was generated, by which mechanism and why."""
    changed = ", ".join(document["changed"]) or "nothing; it was as generated"
    return f"{document['folder']}: by {document['mechanism']}\n  {document['why']}\n  changed: {changed}"
