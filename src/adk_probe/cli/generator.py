"""The commands of the generator: validate, generate, codegen, compare, differential."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adk_probe.cli.shared import GOOD, REFUSED, Context, noted, options, put, say
from adk_probe.errors import InputError
from adk_probe.evidence.judging import judge_project, today
from adk_probe.project.folder import MATRIX_FILE
from adk_probe.project.plan import Choice
from adk_probe.project.specifiers import release_fault


@click.command()
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@options("json")
def validate(file: Path, as_json: bool) -> int:
    """Check an IR file; every finding at once, each with a stable code and the path of its node."""
    from adk_probe.generate.source import read_ir

    source, findings = read_ir(file)
    document = {"schema": "adk-probe.findings/1", "file": file.name, "valid": source is not None, "findings": findings}
    put(document, as_json, lambda: "\n".join(f"{file}: {each}" for each in findings) or f"{file}: valid")
    return GOOD if source is not None else InputError.exit_code


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
    from adk_probe import codegen
    from adk_probe.cli import outputs
    from adk_probe.evidence import allowed
    from adk_probe.evidence.allowed import Question
    from adk_probe.generate import choose
    from adk_probe.generate.source import valid_ir
    from adk_probe.graph.features import features_of

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
        mend = outputs.generate_command(file, folder, options)
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
    put(made, as_json, lambda: outputs.generated_text(made))
    return GOOD


@click.command()
@click.option("--graph", default="critic-loop", help="A graph of probes/graphs, by its file's name.")
@options("json")
@click.pass_obj
def compare(context: Context, /, graph: str, as_json: bool) -> int:
    """Compare the engines by the semantics' properties, each cell with the evidence behind it."""
    from adk_probe.report import comparison as comparing

    project = context.project()
    document = comparing.compare(project, noted(judge_project(project, Choice(), None)), graph)
    put(document, as_json, lambda: comparing.render_text(document).rstrip("\n"))
    return GOOD


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where generated/ is out of date.")
@click.option("--out", type=click.Path(path_type=Path), help="Write all projects and jobs to this folder only.")
@options("json")
@click.pass_obj
def codegen(context: Context, /, check: bool, out: Path | None, as_json: bool) -> int:
    """Generate every graph of probes/graphs by every mechanism, and the jobs of its scenarios.

    What is built is kept for runs; generated/ gets a golden project of each mechanism and the lock of all.
    """
    from adk_probe.cli import outputs
    from adk_probe.generate import building, corpus
    from adk_probe.machine.state import Local
    from adk_probe.project import config

    if check and out is not None:
        raise InputError("--check and --out do not go together", "--check is about generated/.")
    root = context.folder()
    declared = config.load(root / MATRIX_FILE)
    if check:
        made = building.make(root, declared)
        changed = corpus.drifted(root, declared, made)
    else:
        with Local(root).lock():
            made = building.make(root, declared, keep=True)
            changed = corpus.write(root, declared, made) if out is None else corpus.export(out, made)
    projects = sum(len(each.projects) for each in made.values())
    told = {"schema": "adk-probe.codegen/1", "projects": projects, "changed": changed, "written": not check}
    put(told, as_json, lambda: outputs.codegen_text(told, str(out or "generated/")))
    return REFUSED if check and changed else GOOD


@click.command()
@click.option("--examples", type=click.IntRange(1), default=100, help="How many random graphs to draw.")
@click.option("--seed", type=int, default=0, help="The same seed draws the same examples.")
@click.option("--engine", default="google-adk", help="An engine of matrix.toml.")
@click.option("--release", default="newest", help="A version, or `newest`.")
@click.option("--python", default="", help="A Python, like 3.12; by default one that is there.")
@click.option("--mechanism", "mechanisms", multiple=True, help="Only this mechanism; may be repeated.")
@options("json")
@click.pass_obj
def differential(context: Context, /, examples: int, seed: int, as_json: bool, **choice: Any) -> int:
    """Draw random graphs and scenarios, run them by every mechanism, and compare with the reference.

    What leaves the reference is shrunk and saved under differential-failures/. Exit 1 if anything did.
    """
    from adk_probe import differential as random_graphs

    root = context.folder()
    python = random_graphs.environment(root, choice["release"], engine=choice["engine"], python=choice["python"])

    def tick(count: int) -> None:
        if count % 25 == 0:
            say(f"{count} examples")

    mechanisms = choice["mechanisms"]
    report = random_graphs.run(
        python, examples, root=root, seed=seed, mechanisms=mechanisms, engine=choice["engine"], tick=tick
    )
    told = {"schema": "adk-probe.differential/1", "failures": len(report.failures), "lines": list(report.lines)}
    put(told, as_json, lambda: "\n".join(report.lines))
    return REFUSED if report.failures else GOOD


COMMANDS = (validate, generate, codegen, compare, differential)
