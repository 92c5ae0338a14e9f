# /// script
# requires-python = ">=3.9"
# dependencies = ["loopgraph", "pydantic>=2"]
#
# [tool.adk-probe]
# id = "fidelity"
# claim = "A generated project, run on the engine, shows what the graph's reference semantics say."
# engine = "loopgraph"
# needs = ["loopgraph.scheduler.scheduler:Scheduler"]
# timeout = 60
# isolated = true
# ///
"""Runs a generated LoopGraph project through one scenario and compares what is seen with the reference.

    python run_loopgraph.py --project FOLDER --job JOB.json [--trace OUT.json]

The job, and how what is seen is compared, are those of ``probes/fidelity``. Standard library, engine and pydantic only.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for _folder in (HERE.parent / "fidelity", HERE):
    sys.path.insert(0, str(_folder))

import run_fidelity  # noqa: E402
from turns import Player  # noqa: E402

# a folder beside this one has the engine's name: off the path again, so that no import finds it
sys.path.remove(str(HERE.parent))

if __name__ == "__main__":
    run_fidelity.main(__file__, Player)
