"""Runs inside the target: imports the engine once, and then runs one cell after another on request.

It uses only the standard library of Python 3.9 and later. Each line of standard input is a cell in the worker's format.
For each cell it writes one line, which says how the cell ended, to the descriptor that the command line names.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from pathlib import Path


def main(descriptor: int, warm: list[str]) -> int:
    """Serve until standard input ends."""
    here = str(Path(__file__).resolve().parent)
    above = str(Path(here).parent)
    sys.path[:] = [above, *(entry for entry in sys.path if str(Path(entry or ".").resolve()) != here)]
    worker = importlib.import_module("worker")
    # the code that runs here must not find any other module of the harness
    sys.path.remove(above)
    os.set_inheritable(descriptor, False)
    with os.fdopen(descriptor, "w", encoding="utf-8", buffering=1) as events:
        worker.control_process(worker.PR_SET_PDEATHSIG, worker.signal.SIGKILL)
        worker.control_process(worker.PR_SET_CHILD_SUBREAPER, 1)
        network = worker.deny_network()
        fault = worker.warm(warm)
        gc.collect()
        gc.freeze()
        events.write(json.dumps({"event": "warm", "network": network, "fault": fault}) + "\n")
        for line in sys.stdin:
            cell = {**json.loads(line), "events": descriptor}
            events.write(json.dumps(worker.run_cell(cell, hasattr(os, "fork"))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
