"""Say what bytecode that was compiled for earlier environments saves a target that is new here, side by side.

The same cells run in a new environment four times: with an empty store of bytecode, with a store that only knows which
modules are imported, with a full one, and once more in the environment of the last run. CPU seconds count the harness
and all that it started: installing, compiling, importing and the cells. Outcome, message, facts and warnings of a cell
may not differ. Exit codes: 0 nothing differs, 1 something does, 2 the input is wrong, 3 no answer.

    python benchmarks/bytecode.py import model-stub --release 2.13.0 --python 3.12
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import sys
import tempfile
from pathlib import Path

from repeat import DIFFERS, ROOT, SAME, Cells, Unanswered, copy_of, differences, run_once

# whether the environment is made again before a run, and what is removed from the store
WAYS = {
    "resolve": (False, ""),
    "empty store": (True, "*"),
    "paths known": (True, "*/"),
    "full store": (True, ""),
    "kept environment": (False, ""),
}


def cpu() -> float:
    """Return the CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def prepare(home: Path, again: bool, removed: str) -> None:
    """Remove the environments, and what a pattern finds in the store of bytecode."""
    if again:
        shutil.rmtree(home / "envs", ignore_errors=True)
    for path in (home / "bytecode").glob(removed) if removed else ():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def stored(home: Path) -> str:
    """Return how much the store holds, for people."""
    sizes = [path.stat().st_size for path in (home / "bytecode").glob("*/*")]
    return f"{len(sizes)} modules, {sum(sizes) / 1e6:.0f} MB in the store"


def options_of_run() -> list[str]:
    """Return what was asked for, as options of `adk-probe run`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("probes", nargs="+", metavar="PROBE", help="a probe's id, or a pattern; few, and quick ones")
    parser.add_argument("--release", required=True, help="as `adk-probe run` takes it")
    parser.add_argument("--engine", default="google-adk")
    parser.add_argument("--python", default=f"{sys.version_info[0]}.{sys.version_info[1]}", help="by default this one")
    asked = parser.parse_args()
    options = ["--release", asked.release, "--python", asked.python, "--engine", asked.engine, "--no-fetch"]
    return options + [word for probe in asked.probes for word in ("--probe", probe)]


def main() -> int:
    """Run each way, compare, print; return the exit code."""
    options = options_of_run()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    runs: list[Cells] = []
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="adk-probe-bytecode-") as folder:
        copy, home = copy_of(ROOT, Path(folder)), Path(folder) / "home"
        try:
            for way, (again, removed) in WAYS.items():
                prepare(home, again, removed)
                before = cpu()
                runs.append(run_once(copy, options)[0])
                seconds[way] = cpu() - before
        except Unanswered as error:
            print(f"bytecode: {error}", file=sys.stderr)
            return error.code
        kept = stored(home)
    found = {name: lines for name, lines in differences(runs).items() if lines}
    for name, lines in found.items():
        print("\n  ".join([f"{name}: DIFFERS", *lines]))
    # the first run resolved, and counts for none
    del seconds["resolve"]
    for way, took in seconds.items():
        print(f"{way:<18}{took:6.1f} s CPU  {took / seconds['empty store']:.2f}")
    print(f"{len(runs[0])} cells, {len(found)} differ; {kept}")
    return DIFFERS if found else SAME


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
