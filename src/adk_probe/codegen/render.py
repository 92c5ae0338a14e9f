"""Renders templates; every value that comes from an IR passes through a filter that makes it data."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from adk_probe.codegen.literals import docstring, literal, markdown_text, toml_text

LOGGER = "adk_project.steps"
"""The logger to which generated projects report each step that is done, at DEBUG."""


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("adk_probe.codegen", "templates"),
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
        common: variables that every template sees.
    """

    def __init__(self, **common: Any) -> None:
        self._common = {"logger": LOGGER, **common}

    def __call__(self, template: str, **variables: Any) -> str:
        """The template's text."""
        return _environment().get_template(template).render({**self._common, **variables})

    def support(self, *names: str, **variables: Any) -> dict[str, str]:
        """Modules of the package ``support`` of a project, itself included."""
        files = {"support/__init__.py": '"""What this project needs beside the engine."""\n'}
        for name in names:
            files[f"support/{name}.py"] = self(f"support/{name}.py.j2", **variables)
        return files
