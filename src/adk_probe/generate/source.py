"""Read the IR file that a project is generated from."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from adk_probe.errors import InputError
from adk_probe.files import CHECK, read_file, reason
from adk_probe.graph.ir import Finding, Graph
from adk_probe.graph.rules.validate import check


class Source(msgspec.Struct, frozen=True):
    """A graph that is valid, and the file that it was read from; ``digest`` is the SHA-256 of its bytes."""

    name: str
    digest: str
    graph: Graph


def read_ir(path: Path) -> tuple[Source | None, list[Finding]]:
    """Read and validate an IR file; return it, or every finding.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        data = read_file(path)
    except OSError as error:
        raise InputError(f"{path.name or str(path)}: cannot be read: {reason(error)}", CHECK) from None
    graph, findings = check(data, path.name)
    source = Source(path.name, hashlib.sha256(data).hexdigest(), graph) if graph is not None else None
    return source, findings


def valid_ir(path: Path) -> Source:
    """Read an IR file that must be valid.

    Raises:
        InputError: it is not; ``faults`` are all findings.
    """
    source, findings = read_ir(path)
    if source is None:
        hint = "Fix each of them; `adk-probe validate` checks again."
        raise InputError(f"{path.name}: {len(findings)} finding(s)", hint, tuple(str(each) for each in findings))
    return source
