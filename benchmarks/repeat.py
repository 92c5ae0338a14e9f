"""Run probes again and again while the machine has other work, and say what differs: no claim may depend on the load.

Each run goes through the harness as any other does, in an environment of its own making and without the evidence of the
run before. The first is idle, the others have busy processes beside them. What is measured may differ; outcome,
message, facts and warnings may not. Exit codes: 0 nothing differs, 1 something does, 2 the input is wrong, 3 no answer.

    python benchmarks/repeat.py 'pass-cost*' --release 2.13.0 --times 20 --load 4
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from adk_probe.evidence import store

ROOT = Path(__file__).parent.parent
# ends with whoever started it, however that ends
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
Cells = dict[str, dict[str, Any]]
SAME, DIFFERS, NO_ANSWER = 0, 1, 3


class Unanswered(Exception):
    """The harness gave no answer; carries the exit code that it deserves."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep so many processes busy."""
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def copy_of(root: Path, folder: Path) -> Path:
    """Return a project of the same declarations and probes that has no evidence."""
    copy = folder / "project"
    (copy / "reports").mkdir(parents=True)
    for name in ("probes", "generated"):
        if (root / name).is_dir():
            (copy / name).symlink_to((root / name).resolve())
    for name in ("matrix.toml", "reports/releases.json"):
        shutil.copy(root / name, copy / name)
    return copy


def run_once(copy: Path, options: list[str]) -> tuple[Cells, dict[str, float]]:
    """Run the probes in a project without evidence; return its cells and their seconds, by target and probe.

    Raises:
        Unanswered: the harness refused, had an infrastructure error, or a target could not be asked.
    """
    results = copy / "reports/results"
    shutil.rmtree(results, ignore_errors=True)
    environment = {**os.environ, "ADK_PROBE_HOME": str(copy.parent / "home")}
    command = [sys.executable, "-m", "adk_probe", "--root", str(copy), "run", *options]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        raise Unanswered(2 if done.returncode == 2 else NO_ANSWER, done.stderr.strip() or "the harness gave no answer")
    cells: Cells = {}
    seconds = {}
    for key, result in store.load(copy).results.items():
        if result.fault is not None:
            raise Unanswered(NO_ANSWER, f"{key}: {result.fault.message}")
        for cell in result.cells:
            name = f"{cell.probe} on {key}"
            cells[name], seconds[name] = msgspec.to_builtins(cell), result.run.cells[cell.probe].seconds
    if not cells:
        raise Unanswered(NO_ANSWER, "no target could be asked: " + (done.stdout.strip() or "it said nothing"))
    return cells, seconds


def differences(runs: list[Cells]) -> dict[str, list[str]]:
    """Return, by cell, what was not the same in all runs, each value with the number of runs that showed it."""
    found: dict[str, list[str]] = {}
    for name in sorted({name for run in runs for name in run}):
        seen = [run.get(name, {"outcome": "missing"}) for run in runs]
        found[name] = []
        for field in sorted({field for cell in seen for field in cell}):
            values = Counter(json.dumps(cell.get(field), sort_keys=True) for cell in seen)
            if len(values) > 1:
                found[name] += [f"{field}, {count} of {len(runs)}: {value}" for value, count in values.most_common()]
    return found


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("probes", nargs="+", metavar="PROBE", help="a probe's id, or a pattern")
    parser.add_argument("--release", required=True, help="as `adk-probe run` takes it: 2.13.0, newest, '>=2.9,<3'")
    parser.add_argument("--engine", help="by default every engine that has such a release")
    parser.add_argument("--python", default=f"{sys.version_info[0]}.{sys.version_info[1]}", help="by default this one")
    parser.add_argument("--times", type=int, default=20, help="runs under load (default 20)")
    parser.add_argument("--load", type=int, default=4, help="busy processes (default 4)")
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    options = parser.parse_args()
    if options.times < 1 or options.load < 0:
        parser.error("--times is at least 1, and --load at least 0")
    if not (options.root / "matrix.toml").is_file():
        parser.error(f"no matrix.toml in {options.root}: give the project's folder by --root")
    return options


def main() -> int:
    """Run, compare, print; return the exit code."""
    asked = arguments()
    # so that what it started and made is cleared away
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = ["--release", asked.release, "--python", asked.python, "--no-fetch"]
    options += ["--engine", asked.engine] if asked.engine else []
    options += [word for probe in asked.probes for word in ("--probe", probe)]
    runs, seconds = [], []
    with tempfile.TemporaryDirectory(prefix="adk-probe-repeat-") as folder:
        copy = copy_of(asked.root, Path(folder))
        try:
            for number in range(asked.times + 1):
                with busy(asked.load if number else 0):
                    cells, took = run_once(copy, options)
                runs.append(cells)
                seconds.append(took)
        except Unanswered as error:
            print(f"repeat: {error}", file=sys.stderr)
            return error.code
    found = differences(runs)
    for name, lines in found.items():
        spread = [took[name] for took in seconds if name in took]
        end = f"{min(spread):.1f} s idle or at best, {max(spread):.1f} s at worst"
        outcome = f"{runs[0][name]['outcome']} each time" if not lines else "DIFFERS"
        print("\n  ".join([f"{name}: {outcome} in {len(runs)} runs, {end}", *lines]))
    return DIFFERS if any(found.values()) else SAME


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
