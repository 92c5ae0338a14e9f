"""Graphs in, the files of projects out; pure."""

from __future__ import annotations

from collections.abc import Iterable

from adk_probe.codegen.mechanism import mechanism as find_mechanism
from adk_probe.codegen.source.formatting import format_projects
from adk_probe.codegen.source.support import FOLDER
from adk_probe.codegen.spec import MARK, Proof, Spec
from adk_probe.codegen.views import views_of
from adk_probe.errors import InputError
from adk_probe.graph.ir import Graph

SUPPORT_HEADER = f"{MARK}: support code, the same in every project that has it; do not edit."

_HEADED = {".py": "# {}", ".toml": "# {}", ".example": "# {}", ".md": "<!-- {} -->"}


def emit(
    graph: Graph,
    ir_digest: str,
    ir_name: str,
    mechanism: str,
    releases_spec: str,
    python_spec: str,
    proof: Proof | None = None,
) -> dict[str, str]:
    """Generate the project of a graph; for the arguments see ``Spec``.

    Returns:
        Path in the project folder (with ``/``) to the file's text; the same arguments give the same bytes.

    Raises:
        InputError: there is no such mechanism, or it cannot express the graph; ``faults`` are the findings.
    """
    return emit_all([Spec(graph, ir_digest, ir_name, mechanism, releases_spec, python_spec, proof)])[0]


def emit_all(specs: Iterable[Spec]) -> list[dict[str, str]]:
    """Generate many projects; the files of each are those that ``emit`` gives.

    Raises:
        InputError: see ``emit``, of the first that cannot be generated.
    """
    projects = [_headed(spec, _files(spec)) for spec in specs]
    own = [{path: text for path, text in files.items() if _is_formatted(path)} for files in projects]
    return [files | formatted for files, formatted in zip(projects, format_projects(own), strict=True)]


def _files(spec: Spec) -> dict[str, str]:
    way = find_mechanism(spec.mechanism)
    if found := way.cannot_express(spec.graph, None):
        faults = tuple(str(finding) for finding in found)
        raise InputError(f"{spec.mechanism} cannot express {spec.graph.name}", "Choose another mechanism.", faults)
    return way.project(spec, views_of(spec.graph, way.reserved))


def _is_support(path: str) -> bool:
    return path.startswith(f"{FOLDER}/")


def _is_formatted(path: str) -> bool:
    """Whether a file is laid out by ruff: support code is as its authors wrote it."""
    return path.endswith(".py") and not _is_support(path)


def _headed(spec: Spec, files: dict[str, str]) -> dict[str, str]:
    """The files with their headers, in the order of their paths; own files end in one newline."""
    made = {}
    for path, text in sorted(files.items()):
        if _is_support(path):
            made[path] = f"# {SUPPORT_HEADER}\n{text}"
        else:
            suffix = "." + path.rpartition(".")[2]
            made[path] = f"{_HEADED[suffix].format(spec.header)}\n{text}".rstrip("\n") + "\n"
    return made
