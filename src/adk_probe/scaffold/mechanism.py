"""The skeleton of a mechanism: a module that can express nothing yet, and its table in ``matrix.toml``."""

from __future__ import annotations

import fnmatch
import importlib
import json
import pkgutil
from pathlib import Path

from adk_probe import codegen
from adk_probe.codegen.mechanism import mechanisms
from adk_probe.errors import InputError
from adk_probe.project.catalog import Catalog, suggestion
from adk_probe.project.config import Config
from adk_probe.project.generated import stems
from adk_probe.scaffold.skeleton import NOT_WRITTEN, Skeleton, check_name, has_template, refuse_existing, render

KIND = "mechanism"
CODE = "src/adk_probe/codegen"


def skeleton(
    root: Path, config: Config, catalog: Catalog, name: str, engine: str | None, claims: tuple[str, ...]
) -> Skeleton:
    """Return the skeleton of a mechanism.

    Args:
        claims: the probes, or patterns of them, that it requires; by default those that all of its engine require.

    Raises:
        InputError: the name, the engine or a claim is wrong, there is such a mechanism, or the code that runs is not
            that of the folder.
    """
    module = check_name(KIND, name)
    chosen = config.engine(engine)
    if name in config.mechanisms or name in mechanisms():
        raise InputError(f"there is a mechanism {name!r}", "Choose another name.")
    package = _package(root, chosen)
    path = f"{CODE}/{package}/{module}.py"
    refuse_existing(root, KIND, name, [path])
    required = claims or _shared(config, chosen)
    _check_claims(catalog, chosen, required)
    title = "".join(word.capitalize() for word in name.split("-"))
    own = f"mechanism.{package}.py.j2"
    text = render(own if has_template(own) else "mechanism.py.j2", name=name, package=package, title=title)
    requires = f"[{', '.join(json.dumps(claim) for claim in required)}]"
    if len(requires) > 100:
        requires = "[\n" + "".join(f"  {json.dumps(claim)},\n" for claim in required) + "]"
    golden = next(iter(stems(root)), "")
    table = render("mechanism.toml.j2", name=name, engine=chosen, requires=requires, golden=golden)
    return Skeleton(KIND, name, {path: text}, table, _next(path, name))


def _package(root: Path, engine: str) -> str:
    """Return the package of an engine's mechanisms, in this very folder."""
    running = Path(codegen.__file__).resolve().parent
    if running != (root / CODE).resolve():
        hint = "Install that: `python -m pip install -e .` in the project's folder."
        raise InputError(f"a mechanism is a part of adk-probe, and what runs here is not {CODE} of this project", hint)
    packages = _packages()
    if engine not in packages:
        there = ", ".join(sorted(packages))
        raise InputError(
            f"nothing is generated for {engine} yet; only for {there}",
            f"Make a package {CODE}/NAME with ENGINE = {engine!r} in its __init__.py; docs/new-engine.md says how.",
        )
    return packages[engine]


def _packages() -> dict[str, str]:
    """Return by engine the name of the package that generates for it; it need not have a mechanism yet."""
    found = (info.name for info in pkgutil.iter_modules(codegen.__path__) if info.ispkg)
    packages = {name: importlib.import_module(f"{codegen.__name__}.{name}") for name in found}
    return {package.ENGINE: name for name, package in packages.items() if hasattr(package, "ENGINE")}


def _shared(config: Config, engine: str) -> tuple[str, ...]:
    rows = [config.mechanisms[name].requires for name in config.preferred(engine)]
    shared = tuple(claim for claim in rows[0] if all(claim in row for row in rows)) if rows else ()
    if not shared:
        raise InputError(f"which claims? the mechanisms of {engine} share none", "Name one by --claim PROBE.")
    return shared


def _check_claims(catalog: Catalog, engine: str, claims: tuple[str, ...]) -> None:
    known = catalog.probes.get(engine, {})
    for claim in claims:
        if not fnmatch.filter(known, claim):
            raise InputError(f"--claim {claim}: no probe of {engine}", suggestion(claim, known))


def _next(path: str, name: str) -> tuple[str, ...]:
    return (
        f"Write {path} and its sentence in matrix.toml where they say {NOT_WRITTEN!r}; tests fail until you have.",
        "Generate its projects: adk-probe codegen",
        f"Play them: adk-probe run --probe 'fidelity/*/{name}/*'",
        "docs/new-mechanism.md says more.",
    )
