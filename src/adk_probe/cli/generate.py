"""``adk-probe generate``: an agent project from an IR file, by a mechanism that is proven."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from adk_probe import codegen
from adk_probe.cli.shared import GOOD, REFUSED, Context, noted, options, put, say
from adk_probe.errors import InputError
from adk_probe.evidence import allowed
from adk_probe.evidence.allowed import Question
from adk_probe.evidence.judging import judge_project, today
from adk_probe.generate import choose
from adk_probe.generate.source import valid_ir
from adk_probe.graph.features import features_of
from adk_probe.project.plan import Choice
from adk_probe.project.specifiers import release_fault


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
    if fault := release_fault(options["release"]):
        raise InputError(f"--release {fault}")
    source = valid_ir(file)
    project = context.project()
    judgement = noted(judge_project(project, Choice(), project.max_age(options["max_age"])))
    wanted = {name: options[name] for name in ("release", "python", "engine", "accept_untested")}
    wanted["features"] = features_of(source.graph)
    named = (options["mechanism"],) if options["mechanism"] else ()
    engine = allowed.engine_of(project.config, Question(**wanted, mechanisms=named))
    answer = allowed.ask(project, judgement, Question(**{**wanted, "engine": engine}), today())
    chosen = choose.choose(source, answer, options["mechanism"])
    folder = options["out"] or Path(source.graph.name)
    files = choose.project_files(source, chosen.mechanism, answer, project.scale(engine, judgement.targets))
    if options["check"] or options["show"]:
        drift = codegen.diff(folder, files)
        mend = generate_command(file, folder, options)
        told = {"schema": "adk-probe.drift/1", "drift": drift, "mend": mend if drift else ""}
        put(told, as_json, lambda: f"{drift}\n{mend}" if drift else f"{folder}: as generated")
        return REFUSED if drift else GOOD
    drift_made = codegen.write(folder, files)
    if not folder.resolve().name.isidentifier():
        say(f"adk-probe: {folder.name} is no Python identifier; neither `adk run` nor the smoke test can import it so")
    made: dict[str, Any] = {
        "schema": "adk-probe.generated/1",
        "folder": str(folder),
        "mechanism": chosen.mechanism,
        "why": chosen.why,
        "tested": answer.tested,
        "untested": answer.untested,
        "changed": drift_made.paths,
    }
    put(made, as_json, lambda: generated_text(made))
    return GOOD


def generate_command(file: Path, folder: Path, options: Mapping[str, Any]) -> str:
    """Return the command that generates a project again, to be pasted."""
    words = ["adk-probe", "generate", str(file)]
    for name in ("engine", "release", "python", "mechanism"):
        words += [f"--{name}", str(options[name])] if options[name] else []
    words += ["--accept-untested"] if options["accept_untested"] else []
    words += ["--max-age", str(options["max_age"])] if options["max_age"] is not None else []
    return shlex.join([*words, "--out", str(folder)])


def generated_text(told: Mapping[str, Any]) -> str:
    """Return what was generated, by which mechanism and why."""
    changed = ", ".join(told["changed"]) or "nothing; it was as generated"
    return f"{told['folder']}: by {told['mechanism']}\n  {told['why']}\n  changed: {changed}"
