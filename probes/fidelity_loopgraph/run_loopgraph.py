# /// script
# requires-python = ">=3.9"
# dependencies = ["loopgraph", "pydantic>=2"]
#
# [tool.adk-probe]
# id = "fidelity"
# claim = "A generated project behaves on the engine as the graph's reference semantics say."
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 60
# isolated = true
# ///
"""Runs a generated LoopGraph project through one scenario, and compares the run with the reference.

    python run_loopgraph.py --project FOLDER --job JOB.json [--trace OUT.json]

The job and the comparison are those of ``probes/fidelity``. This script uses only the standard library, the engine and
pydantic.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for _folder in (HERE.parent / "fidelity", HERE):
    sys.path.insert(0, str(_folder))

import run_fidelity  # noqa: E402
from turns import Player  # noqa: E402

# a folder in that one has the engine's name, so take it off the path before an import can find it
sys.path[:] = [entry for entry in sys.path if entry != str(HERE.parent)]

prepare = run_fidelity.prepare


def rehearse(arguments: list[str]) -> None:
    """Play a scenario so that the engine has done its first-time work, and throw away what was seen."""
    run_fidelity.rehearse_by(arguments, Player)


if __name__ == "__main__":
    run_fidelity.main(__file__, Player)
