"""Renders templates; every value that comes from an IR passes through a filter that makes it data."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from adk_probe.codegen.source.literals import docstring, literal, markdown_text, toml_text

FOLDER = "templates"
_SHARED = Path(__file__).parents[1] / FOLDER


@lru_cache
def _environment(package: Path) -> Environment:
    environment = Environment(
        loader=FileSystemLoader([package / FOLDER, _SHARED]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Python, TOML and Markdown, not HTML; filters quote what is data
    )
    environment.filters.update(docstring=docstring, literal=literal, toml=toml_text, markdown=markdown_text)
    return environment


class Renderer:
    """Renders the templates of one project.

    Args:
        package: the folder of an engine's package; templates that are not in it are those of all engines.
        common: variables that every template sees.
    """

    def __init__(self, package: Path, **common: Any) -> None:
        self._environment = _environment(package)
        self._common = common

    def __call__(self, template: str, **variables: Any) -> str:
        """Return the template's text."""
        return self._environment.get_template(template).render({**self._common, **variables})
