"""Formats generated Python with the pinned ruff, so that the same ruff gives the same bytes everywhere."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from adk_probe.errors import InfrastructureError

_OPTIONS = (
    "--isolated",
    "--no-cache",
    "--quiet",
    "--config",
    "line-length=110",
    "--config",
    "target-version='py39'",
    "--config",
    "format.line-ending='lf'",
)
_FIXES = ("--fix-only", "--exit-zero", "--select", "F401,I001")
"""Imports that a template offers and nothing uses go; those that stay are sorted."""


@lru_cache(maxsize=1)
def _ruff() -> str:
    from ruff import find_ruff_bin  # type: ignore[import-untyped]

    return str(find_ruff_bin())


def format_python(files: Mapping[str, str]) -> dict[str, str]:
    """Python sources without unused imports, as ``ruff format`` lays them out.

    Args:
        files: relative path, with ``/``, to source.

    Raises:
        InfrastructureError: ruff is missing, or a text is not Python, which is a fault of a template.
    """
    with tempfile.TemporaryDirectory(prefix="adk-probe-") as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode())
        _run(["check", *_OPTIONS, *_FIXES, "."], folder)
        _run(["format", *_OPTIONS, "."], folder)
        return {path: (folder / path).read_bytes().decode() for path in files}


def _run(arguments: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            [_ruff(), *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InfrastructureError(f"ruff cannot be run: {error}", "Install this project's dependencies.") from error
    if done.returncode != 0:
        raise InfrastructureError(f"ruff cannot format what was generated: {done.stderr.strip()}")
