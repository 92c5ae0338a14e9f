"""The skeleton of a probe: one file in its engine's folder, which asks nothing yet."""

from __future__ import annotations

import json
from pathlib import Path

from adk_probe.errors import InputError
from adk_probe.project.catalog import Catalog
from adk_probe.project.config import Config
from adk_probe.scaffold.skeleton import NOT_WRITTEN, Skeleton, check_name, refuse_existing, render

KIND = "probe"
# with its key, a claim has one line of the header
LONGEST_CLAIM = 105


def skeleton(root: Path, config: Config, catalog: Catalog, name: str, engine: str | None, claim: str) -> Skeleton:
    """Return the skeleton of a probe.

    Raises:
        InputError: the name, the engine or the claim is wrong, or there is such a probe.
    """
    check_name(KIND, name)
    chosen = config.engine(engine)
    row = config.engines[chosen]
    path = f"{row.probes}/{name}.py"
    if name in catalog.probes.get(chosen, {}):
        raise InputError(f"{chosen} has a probe {name!r}: {catalog.probes[chosen][name].file}", "Choose another name.")
    refuse_existing(root, KIND, name, [path])
    text = render("probe.py.j2", name=name, engine=chosen, claim=_quoted(claim or NOT_WRITTEN))
    return Skeleton(KIND, name, {path: text}, next=_next(path, row.distribution, name))


def _quoted(claim: str) -> str:
    """Return a claim as a string that is both JSON and TOML; raises InputError for what is no sentence."""
    quoted = json.dumps(claim.strip(), ensure_ascii=False).replace("\x7f", "\\u007f")
    if not claim.strip() or not claim.isprintable() or len(quoted) > LONGEST_CLAIM:
        hint = f"A claim is one sentence that is true or false, of at most {LONGEST_CLAIM - 2} characters on one line."
        raise InputError(f"--claim {claim[:LONGEST_CLAIM]!a}: it cannot be a claim", hint)
    return quoted


def _next(path: str, distribution: str, name: str) -> tuple[str, ...]:
    return (
        f"Write {path} where it says {NOT_WRITTEN!r}; a test fails until you have.",
        f"Try it by hand: uv run --no-project --with {distribution} {path}",
        f"Run it: adk-probe run --probe {name}",
        "docs/new-probe.md has the rules.",
    )
