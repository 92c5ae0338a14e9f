"""A project folder with two graphs and two mechanisms, of which projects can be generated."""

from __future__ import annotations

import shutil
from pathlib import Path

from fake.project import REPOSITORY

from adk_probe.generate import building, corpus
from adk_probe.project import config
from adk_probe.project.config import Config

ONE, TWO = "critic-loop-once", "guarded-step"
MATRIX = """
[engines.google-adk]
distribution = "google-adk"
import = "google.adk"
probes = "probes/google_adk"
fidelity = "probes/fidelity/run_fidelity.py"

[suites.quick]
description = "one target"
targets = [{ engine = "google-adk", releases = ["2.0.0"], pythons = ["3.12"] }]

[mechanisms.custom-agent]
engine = "google-adk"
sentence = "one way"
golden = "critic-loop-once"
requires = ["import"]

[mechanisms.cyclic-workflow]
engine = "google-adk"
sentence = "another way"
golden = "guarded-step"
releases = ">=2.0"
requires = ["import"]
"""


def make(root: Path) -> Path:
    """Write the folder; return ``root``."""
    (root / "probes/graphs").mkdir(parents=True)
    (root / "probes/google_adk").mkdir()
    for stem in (ONE, TWO):
        for path in (REPOSITORY / "probes/graphs").glob(f"{stem}.*"):
            shutil.copy(path, root / "probes/graphs")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("fidelity", "controls"):
        shutil.copytree(REPOSITORY / "probes" / name, root / "probes" / name, ignore=ignored)
    shutil.copy(REPOSITORY / "probes/google_adk/import.py", root / "probes/google_adk")
    (root / "matrix.toml").write_text(MATRIX, encoding="utf-8")
    return root


def declared(root: Path) -> Config:
    """What is declared in the folder."""
    return config.load(root / "matrix.toml")


def codegen(root: Path) -> list[str]:
    """Do what the command does; return what was changed."""
    rows = declared(root)
    return corpus.write(root, rows, building.make(root, rows, keep=True))


def change(path: Path, old: str, new: str) -> None:
    """Replace a text that is there once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, text.count(old)
    path.write_text(text.replace(old, new), encoding="utf-8")
