"""The skeleton of an engine: its tables in ``matrix.toml`` and a folder of probes with the first one, ``import``."""

from __future__ import annotations

import sys
from pathlib import Path

from adk_probe.errors import InputError
from adk_probe.project.config import Config
from adk_probe.scaffold.skeleton import NOT_WRITTEN, Skeleton, check_name, refuse_existing, render

KIND = "engine"


def skeleton(root: Path, config: Config, name: str, distribution: str, module: str) -> Skeleton:
    """Return the skeleton of an engine.

    Args:
        distribution: its name on the index; by default the engine's.
        module: the package whose import proves that it is there; by default the engine's name as a module's.

    Raises:
        InputError: the name is wrong, or there is such an engine or suite. What is wrong with the others is found
            when they are put into ``matrix.toml``.
    """
    symbol = check_name(KIND, name)
    for kind, known in (("an engine", config.engines), ("a suite", config.suites)):
        if name in known:
            raise InputError(f"there is {kind} {name!r}", "Choose another name.")
    folder = f"probes/{symbol}"
    refuse_existing(root, KIND, name, [folder])
    values = {
        "name": name,
        "distribution": distribution or name,
        "module": module or symbol,
        "folder": folder,
        "python": _python(config),
    }
    files = {
        f"{folder}/_kit.py": render("engine.kit.py.j2", **values),
        f"{folder}/import.py": render("engine.import.py.j2", **values),
    }
    return Skeleton(KIND, name, files, render("engine.toml.j2", **values), _next(f"{folder}/import.py", name))


def _python(config: Config) -> str:
    """Return the Python that runs this, if it is one of those declared; else the newest of these."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    return own if own in config.pythons else config.pythons[-1]


def _next(path: str, name: str) -> tuple[str, ...]:
    return (
        "Ask the index which releases there are: adk-probe releases --update",
        f"Write {path} where it says {NOT_WRITTEN!r}; a test fails until you have.",
        f"Choose releases and Pythons in matrix.toml, [suites.{name}]",
        f"Run it: adk-probe run --suite {name}",
        f"Ask the next thing: adk-probe new probe NAME --engine {name}",
        "docs/new-engine.md says more.",
    )
