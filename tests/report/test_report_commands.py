"""The commands that show an observation again."""

from __future__ import annotations

import shlex
from pathlib import Path

from adk_probe.model import Lane, Target
from adk_probe.project.fidelity_cells import PREFIX
from adk_probe.project.folder import open_project
from adk_probe.report.commands import BUILT, by_hand

ROOT = Path(__file__).parents[2]


def test_what_a_fidelity_cell_runs_is_built_first() -> None:
    project = open_project(ROOT)
    for engine, probes in project.catalog.probes.items():
        release = project.releases.choose(engine, "newest")[0].version
        target = Target(engine, release, "3.12", Lane.TODAY)
        for name in probes:
            command = by_hand(project.config, project.catalog, project.releases, target, name)
            assert "{" not in command
            build, sign, run = command.rpartition(" && ")
            assert bool(sign) == name.startswith(PREFIX)
            words = shlex.split(run)
            assert words[:2] == ["uv", "run"]
            if sign:
                assert build == f"adk-probe codegen --out {BUILT}"
                for option in ("--project", "--job"):
                    assert words[words.index(option) + 1].startswith(f"{BUILT}/{name.split('/')[1]}/")
