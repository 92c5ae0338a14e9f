"""The skeleton of a graph: an IR of a loop and a step, and a scenario that plays it."""

from __future__ import annotations

from pathlib import Path

from adk_probe.project.generated import GRAPHS, SCENARIO_SUFFIX, SUFFIX
from adk_probe.scaffold.skeleton import NOT_WRITTEN, Skeleton, check_name, refuse_existing, render

KIND = "graph"


def skeleton(root: Path, name: str) -> Skeleton:
    """Return the skeleton of a graph.

    Raises:
        InputError: the name is wrong, or there is such a graph.
    """
    symbol = check_name(KIND, name)
    paths = [f"{GRAPHS}/{name}{SUFFIX}", f"{GRAPHS}/{name}{SCENARIO_SUFFIX}"]
    refuse_existing(root, KIND, name, paths)
    texts = [render(template, symbol=symbol) for template in ("graph.ir.json.j2", "graph.scenarios.json.j2")]
    return Skeleton(KIND, name, dict(zip(paths, texts, strict=True)), next=_next(paths, name))


def _next(paths: list[str], name: str) -> tuple[str, ...]:
    return (
        f"Write {paths[0]} where it says {NOT_WRITTEN!r}; a test fails until you have.",
        f"Check it: adk-probe validate {paths[0]}",
        f"Write what happens in it: {paths[1]}",
        "Generate its projects: adk-probe codegen",
        f"Play it: adk-probe run --probe 'fidelity/{name}/*'",
        "docs/new-graph.md says more, docs/ir.md has every key.",
    )
