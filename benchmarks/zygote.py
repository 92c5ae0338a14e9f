"""Play scenarios with and without a zygote, and say what differs and what it saves.

Both ways run side by side in time, one after the other, in one environment and without the evidence of the way before;
CPU seconds count the harness and all that it started. Outcome, message, facts and warnings of a cell may not differ.
Exit codes: 0 nothing differs, 1 something does, 2 the input is wrong, 3 no answer.

    python benchmarks/zygote.py 'fidelity/critic-loop/*' --release 2.13.0 --python 3.12
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
from pathlib import Path

from repeat import DIFFERS, ROOT, SAME, Cells, Unanswered, copy_of, differences, run_once


def cpu() -> float:
    """Return the CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Run both ways, compare, print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("probes", nargs="+", metavar="PROBE", help="a scenario's id, or a pattern")
    parser.add_argument("--release", required=True, help="as `adk-probe run` takes it")
    parser.add_argument("--engine", default="google-adk")
    parser.add_argument("--python", default=f"{sys.version_info[0]}.{sys.version_info[1]}", help="by default this one")
    asked = parser.parse_args()
    options = ["--release", asked.release, "--python", asked.python, "--engine", asked.engine, "--no-fetch"]
    options += [word for probe in asked.probes for word in ("--probe", probe)]
    runs: list[Cells] = []
    seconds = []
    with tempfile.TemporaryDirectory(prefix="adk-probe-zygote-") as folder:
        copy = copy_of(ROOT, Path(folder))
        try:
            # the first makes the environment, and counts for neither
            for switch in ("1", "1", "0"):
                os.environ["ADK_PROBE_ZYGOTE"] = switch
                before = cpu()
                runs.append(run_once(copy, options)[0])
                seconds.append(cpu() - before)
        except Unanswered as error:
            print(f"zygote: {error}", file=sys.stderr)
            return error.code
    found = {name: lines for name, lines in differences(runs).items() if lines}
    for name, lines in found.items():
        print("\n  ".join([f"{name}: DIFFERS", *lines]))
    _, shared, alone = seconds
    cost = f"CPU {shared:.1f} s with, {alone:.1f} s without: {shared / alone:.2f}"
    print(f"{len(runs[0])} cells, {len(found)} differ; {cost}")
    return DIFFERS if found else SAME


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
