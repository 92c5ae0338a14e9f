"""``adk-probe validate``: check an IR file."""

from __future__ import annotations

from pathlib import Path

import click

from adk_probe.cli.shared import GOOD, options, put
from adk_probe.errors import InputError
from adk_probe.generate.source import read_ir


@click.command()
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@options("json")
def validate(file: Path, as_json: bool) -> int:
    """Check an IR file; every finding at once, each with a stable code and the path of its node."""
    source, findings = read_ir(file)
    document = {"schema": "adk-probe.findings/1", "file": file.name, "valid": source is not None, "findings": findings}
    put(document, as_json, lambda: "\n".join(f"{file}: {each}" for each in findings) or f"{file}: valid")
    return GOOD if source is not None else InputError.exit_code
