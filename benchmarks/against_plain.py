"""Runs the same targets and probes in three ways, and prints wall time, CPU time and their ratios side by side.

(a) plain Nox: its default virtualenv and pip, one session for each target, one process for each probe
(b) plain uv: one environment for each target, one process for each probe
(c) this harness

Each way is measured cold (without environments, with warm download caches) and again with nothing changed. The plain
ways keep their environments but no evidence, so they run everything again.

    python benchmarks/against_plain.py --targets 4
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
from tabulate import tabulate
from uv import find_uv_bin

from adk_probe.execution import interpreters
from adk_probe.model import Lane
from adk_probe.project.fidelity_cells import PREFIX
from adk_probe.project.folder import Project, open_project
from adk_probe.project.plan import Choice, Planned

ROOT = Path(__file__).parent.parent
NOXFILE = """
import json, nox, pathlib
JOB = json.loads(pathlib.Path("job.json").read_text())

def add(target):
    @nox.session(name=target["key"], python=target["interpreter"])
    def session(session):
        session.install("--only-binary", ":all:", target["requirement"])
        for probe in JOB["probes"]:
            session.run("python", probe, success_codes=range(256), silent=True)

for each in JOB["targets"]:
    add(each)
"""


def measured(work: Callable[[], None]) -> tuple[float, float]:
    """Return the wall and CPU seconds of some work, children included."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, cpu


def quiet(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run a command. A false claim is not a failure of the command."""
    subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, stdin=subprocess.DEVNULL)


class Ways:
    """The three ways to run the same targets and probes."""

    def __init__(self, project: Project, planned: list[Planned], probes: list[str], folder: Path) -> None:
        self.project = project
        self.planned = planned
        self.probes = probes
        self.folder = folder
        self.found = interpreters.find({item.target.python for item in planned})
        # with the caller's switch against bytecode, the plain ways would look slower than they are
        self.environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        self.environment["ADK_PROBE_HOME"] = str(folder / "home")
        self.files = [str(ROOT / project.catalog.probe(probe).file) for probe in probes]

    def _requirement(self, item: Planned) -> str:
        return f"{self.project.config.engines[item.target.engine].distribution}=={item.target.release}"

    def nox(self) -> None:
        """Run every target as a Nox session with Nox's defaults."""
        targets = [
            {
                "key": item.target.key,
                "interpreter": self.found[item.target.python].path,
                "requirement": self._requirement(item),
            }
            for item in self.planned
        ]
        (self.folder / "job.json").write_text(json.dumps({"targets": targets, "probes": self.files}))
        (self.folder / "noxfile.py").write_text(NOXFILE)
        quiet([sys.executable, "-m", "nox", "-r"], self.folder, self.environment)

    def uv(self) -> None:
        """Make every environment with uv, and run each probe as a process of its own."""
        for item in self.planned:
            place = self.folder / "uv" / item.target.key
            python = str(place / "bin/python")
            if not place.exists():
                interpreter = self.found[item.target.python].path
                quiet([find_uv_bin(), "venv", "-p", interpreter, str(place)], self.folder, self.environment)
                install = [find_uv_bin(), "pip", "install", "--no-build", "-p", python, self._requirement(item)]
                quiet(install, self.folder, self.environment)
            for file in self.files:
                quiet([python, file], self.folder, self.environment)

    def harness(self) -> None:
        """Run the harness on a project with the same probes and without evidence."""
        copy = self.folder / "project"
        if not copy.exists():
            (copy / "reports").mkdir(parents=True)
            for name in ("probes", "generated"):
                (copy / name).symlink_to(ROOT / name)
            (copy / "reports/releases.json").write_bytes((ROOT / "reports/releases.json").read_bytes())
            (copy / "matrix.toml").write_text((ROOT / "matrix.toml").read_text() + self._suite())
        chosen = [option for probe in self.probes for option in ("--probe", probe)]
        command = [sys.executable, "-m", "adk_probe", "--root", str(copy), "run", "--suite", "benchmark", *chosen]
        quiet(command, self.folder, self.environment)

    def _suite(self) -> str:
        lines = ["", "[suites.benchmark]", 'description = "what is measured"']
        for item in self.planned:
            target = item.target
            lines += ["", "[[suites.benchmark.targets]]", f'engine = "{target.engine}"']
            lines += [
                f'releases = ["{target.release}"]',
                f'pythons = ["{target.python}"]',
                f'lanes = ["{target.lane}"]',
            ]
        return "\n".join(lines) + "\n"


def pick(project: Project, count: int, found: set[str]) -> list[Planned]:
    """Return ``count`` targets from all parts of the quick suite that plain installers can make too."""
    fitting = [
        item
        for item in project.plan(Choice())
        if item.fault is None and item.target.lane is Lane.TODAY and item.target.python in found
    ]
    # newest first: a release that does not import with today's dependencies would cost the plain ways almost nothing
    newest = fitting[::-1]
    return newest[:: max(1, len(newest) // count)][:count]


@click.command()
@click.option("--targets", type=click.IntRange(1), default=100, help="Number of targets of the quick suite.")
@click.option("--probes", type=click.IntRange(1), default=100, help="Number of probes.")
def main(targets: int, probes: int) -> None:
    """Measure all three ways and print one table."""
    project = open_project(ROOT)
    pythons = {item.target.python for item in project.plan(Choice())}
    planned = pick(project, targets, set(interpreters.find(pythons)))
    # without fidelity cells, because only the harness has them
    known = project.catalog.probes[planned[0].target.engine]
    names = sorted(name for name in known if not name.startswith(PREFIX))[:probes]
    click.echo(f"{len(planned)} targets, {len(names)} probes: {', '.join(item.target.key for item in planned)}")
    rows: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="adk-probe-benchmark-") as folder:
        ways = Ways(project, planned, names, Path(folder))
        # the download caches of pip and uv must be warm; one earlier run of this script fills them
        for label, work in (("harness", ways.harness), ("uv", ways.uv), ("nox", ways.nox)):
            rows[label] = [*measured(work), *measured(work)]
            click.echo(f"{label}: {', '.join(f'{each:.1f}' for each in rows[label])}", err=True)
    table = [
        [label, *(f"{each:.1f}" for each in rows[key]), f"{rows[key][0] / rows['harness'][0]:.1f}"]
        for label, key in (("(a) plain Nox, pip", "nox"), ("(b) plain uv", "uv"), ("(c) adk-probe", "harness"))
    ]
    head = ["way", "cold wall s", "cold CPU s", "again wall s", "again CPU s", "cold wall / (c)"]
    click.echo(tabulate(table, headers=head, disable_numparse=True))


if __name__ == "__main__":
    main()
