"""A project folder that probes the fake engine, and how to run it without the command."""

from __future__ import annotations

import contextlib
import datetime
import shutil
import threading
from pathlib import Path

from adk_probe.evidence import store
from adk_probe.evidence.judge import Judgement
from adk_probe.evidence.judging import judge_project
from adk_probe.execution.schedule import execute, sort
from adk_probe.execution.target import TargetOutcome
from adk_probe.files import to_json
from adk_probe.machine.state import Local
from adk_probe.model import RELEASES_SCHEMA, Observation, Release, Target, TargetResult
from adk_probe.project import config
from adk_probe.project.config import Config
from adk_probe.project.folder import Project, open_project
from adk_probe.project.plan import Choice
from fake import engine, probes

REPOSITORY = Path(__file__).resolve().parents[2]
MATRIX = """
[settings]
default-engine = "fake-engine"
build-seconds = 60
fetch-pythons = false

[engines.fake-engine]
distribution = "fake-engine"
import = "fake_engine"
probes = "probes/fake"
warm = ["fake_engine.flow", "fake_engine.not_there"]

[engines.hostile]
distribution = "fake-engine"
import = "fake_engine"
probes = "probes/hostile"

[suites.quick]
description = "what works"
targets = [
  {{ engine = "fake-engine", releases = ["1.0", "1.1", "newest"], pythons = ["{python}"] }},
  {{ engine = "fake-engine", releases = ["0.9"], pythons = ["{python}"], lanes = ["as-released", "today"] }},
]

[suites.broken]
description = "what cannot be asked"
targets = [
  {{ engine = "fake-engine", releases = [{broken}], pythons = ["{python}"] }},
  {{ engine = "fake-engine", releases = ["2.0"], pythons = ["3.99"] }},
]

[suites.hostile]
description = "what attacks"
targets = [{{ engine = "hostile", releases = ["2.0"], pythons = ["{python}"] }}]

[mechanisms.loop]
engine = "fake-engine"
sentence = "the old loop"
requires = ["import", "loop"]

[mechanisms.workflow]
engine = "fake-engine"
sentence = "the new workflow"
requires = ["import", "workflow"]
"""
BROKEN = ("1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "2.0a1")


def releases() -> list[Release]:
    """Return the fake engine's releases as the index tells them."""
    found = [
        Release(
            dist.filename.removesuffix("-py3-none-any.whl").removesuffix(".tar.gz").split("-")[1],
            dist.uploaded[:19] + "Z",
            dist.requires_python,
            dist.yanked,
        )
        for dist in engine.dists()
        if dist.name == engine.NAME
    ]
    return sorted(found, key=lambda release: Target("", release.version, "3.1", "today").order)  # type: ignore[arg-type]


def make(root: Path, python: str) -> Path:
    """Write a project below ``root``; return ``root``."""
    (root / "probes").mkdir(parents=True)
    shutil.copy(REPOSITORY / "probes" / "probekit.py", root / "probes")
    shutil.copytree(REPOSITORY / "probes" / "controls", root / "probes" / "controls", ignore=_bytecode)
    for folder, texts in (("fake", probes.plain("fake-engine")), ("hostile", probes.hostile("hostile"))):
        (root / "probes" / folder).mkdir()
        for name, text in texts.items():
            (root / "probes" / folder / f"{name}.py").write_text(text, encoding="utf-8")
    (root / "probes" / "fake" / "_kit.py").write_text("SHARED = 1\n", encoding="utf-8")
    broken = ", ".join(f'"{version}"' for version in BROKEN)
    (root / "matrix.toml").write_text(MATRIX.format(python=python, broken=broken), encoding="utf-8")
    known = {"schema": RELEASES_SCHEMA, "engines": {"fake-engine": releases(), "hostile": releases()}}
    (root / "reports").mkdir()
    (root / "reports" / "releases.json").write_bytes(to_json(known))
    return root


_bytecode = shutil.ignore_patterns("__pycache__")


class Recorder:
    """Remembers what a run told of its progress."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.targets = self.planned = 0
        self.cells: list[tuple[Target, str]] = []
        self.ended: list[TargetOutcome] = []

    def begin(self, targets: int, cells: int) -> None:
        """Take down how much there is to do."""
        self.targets, self.planned = targets, cells

    def cell(self, target: Target, probe: str) -> None:
        """Take down a cell that ended."""
        with self.lock:
            self.cells.append((target, probe))

    def done(self, outcome: TargetOutcome) -> None:
        """Take down a target that ended."""
        with self.lock:
            self.ended.append(outcome)


class Done:
    """What a run came to."""

    def __init__(self, root: Path, outcomes: list[TargetOutcome], told: Recorder) -> None:
        self.root = root
        self.ended = {each.target.key: each for each in outcomes}
        self.told = told

    @property
    def states(self) -> set[str]:
        """How its targets ended."""
        return {each.state for each in self.ended.values()}

    @property
    def probes(self) -> set[str]:
        """The probes that ran, controls left out."""
        return {probe for _, probe in self.told.cells if not probe.startswith("control-")}


def run(
    root: Path,
    choice: Choice | None = None,
    refresh: bool = False,
    jobs: int = 2,
    fetch: bool = False,
    keep_environments: bool = True,
) -> Done:
    """Do what the command ``run`` does."""
    project = open_project(root)
    told = Recorder()
    with Local(root).lock():
        todo = sort(project, project.plan(choice or Choice()), refresh, fetch)
        outcomes = execute(project, todo, jobs, refresh, told, keep_environments)
    return Done(root, outcomes, told)


def evidence(root: Path, release: str, engine: str = "fake-engine", lane: str = "today") -> TargetResult:
    """Return the evidence of the one target of a release; an assertion fails where there is none."""
    loaded = store.load(root)
    found = [
        result
        for result in loaded.results.values()
        if (result.target.engine, result.target.release, result.target.lane) == (engine, release, lane)
    ]
    assert len(found) == 1, f"{len(found)} results of {engine} {release}; faults: {loaded.faults}"
    return found[0]


def cells(result: TargetResult) -> dict[str, Observation]:
    """Return the cells of a result by probe."""
    return {cell.probe: cell for cell in result.cells}


def opened(root: Path) -> Project:
    """Open a project."""
    return open_project(root)


def judged(root: Path, suite: str | None = None) -> Judgement:
    """Judge a project's evidence."""
    return judge_project(open_project(root), Choice(suite=suite), None)


def alive(pid: int) -> bool:
    """Whether a process is there and is no zombie."""
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text(encoding="latin-1").rpartition(")")[2].split()[0]
        return state not in "ZX"
    return False


def today() -> datetime.date:
    """Return the day, as the harness reckons it."""
    return datetime.datetime.now(datetime.UTC).date()


def config_of(root: Path) -> Config:
    """Read a project's matrix alone."""
    return config.load(root / "matrix.toml")
